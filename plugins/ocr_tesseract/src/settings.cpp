// SPDX-License-Identifier: Apache-2.0
// The one file that pays for the codec of this plugin's own types.
#include "settings.hpp"

#include <gantry/codec.hpp>

GANTRY_INSTANTIATE(gantry::ocr::ReaderSettings)

namespace gantry::ocr_tesseract {

Result<ocr::ReaderSettings> read_settings(std::string_view json) {
  return from_json<ocr::ReaderSettings>(json);
}

}  // namespace gantry::ocr_tesseract
