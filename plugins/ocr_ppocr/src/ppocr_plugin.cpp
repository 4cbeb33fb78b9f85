// SPDX-License-Identifier: Apache-2.0
#include "ppocr_plugin.hpp"

#include <gantry/cure.hpp>
#include <gantry/ocr/tesseract_engine.hpp>
#include <gantry/onnx/onnx.hpp>

#include <array>

namespace gantry::ocr_ppocr {

Result<ocr::ReaderSettings> PpocrPlugin::configure() {
  GANTRY_ASSIGN(Settings settings, read_settings(host().config_json()));
  const bool same = method_ != nullptr && method_->works() &&
                    settings.models_dir == own_.models_dir && settings.threads == own_.threads;
  own_ = std::move(settings);
  if (!same) {
    method_ =
        std::make_shared<PpocrMethod>(own_.models_dir, own_.threads, [this](const Error& error) {
          const auto [reason, cure] = split_cure(error.message);
          host().degraded("models", reason + "; Tesseract reads alone", cure);
        });
  }
  return own_;
}

Result<void> PpocrPlugin::look_for_models() const {
  constexpr std::array<std::string_view, 4> kFiles{
      "onnxruntime/libonnxruntime.so", "ppocr/det.onnx", "ppocr/rec.onnx", "ppocr/keys.txt"};
  for (const std::string_view file : kFiles) {
    GANTRY_TRY(onnx::model_file(own_.models_dir, file));
  }
  return {};
}

void PpocrPlugin::probe() {
  const auto models = look_for_models();
  if (models.ok()) {
    host().healthy("models");
  } else {
    method_->give_up(models.error());
  }
  const auto code =
      ocr::language_code(settings_.languages, ocr::data_folder(settings_.data_folder));
  if (!code.ok()) {
    const auto [reason, cure] = split_cure(code.error().message);
    host().degraded("languages", reason, cure);
    host().bus().set_suitability(0, code.error().message);
    return;
  }
  host().healthy("languages");
  ocr::Manner manner;
  manner.languages = *code;
  host().bus().set_suitability(models.ok() ? 80 : 50, method_->route(manner));
}

}  // namespace gantry::ocr_ppocr
