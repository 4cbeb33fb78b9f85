// SPDX-License-Identifier: Apache-2.0
#include "ocr_plugin.hpp"

#include <gantry/ocr/tesseract_engine.hpp>
#include <gantry/suitability.hpp>

#include <string>

#include "settings.hpp"

namespace gantry::ocr_tesseract {

Result<ocr::ReaderSettings> OcrPlugin::configure() { return read_settings(host().config_json()); }

void OcrPlugin::probe() {
  const auto code =
      ocr::language_code(settings_.languages, ocr::data_folder(settings_.data_folder));
  tell_found(host(), "languages", code, 60,
             code.ok() ? ocr::engine_version() + " with " + *code : std::string());
}

}  // namespace gantry::ocr_tesseract
