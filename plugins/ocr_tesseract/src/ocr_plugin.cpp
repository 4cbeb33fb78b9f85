// SPDX-License-Identifier: Apache-2.0
#include "ocr_plugin.hpp"

#include <gantry/cure.hpp>
#include <gantry/ocr/tesseract_engine.hpp>

#include "settings.hpp"

namespace gantry::ocr_tesseract {

Result<ocr::ReaderSettings> OcrPlugin::configure() { return read_settings(host().config_json()); }

void OcrPlugin::probe() {
  const auto code =
      ocr::language_code(settings_.languages, ocr::data_folder(settings_.data_folder));
  if (code.ok()) {
    host().healthy("languages");
    host().bus().set_suitability(60, ocr::engine_version() + " with " + *code);
    return;
  }
  const auto [reason, cure] = split_cure(code.error().message);
  host().degraded("languages", reason, cure);
  host().bus().set_suitability(0, code.error().message);
}

}  // namespace gantry::ocr_tesseract
