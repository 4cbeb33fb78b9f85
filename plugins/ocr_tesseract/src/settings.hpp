// SPDX-License-Identifier: Apache-2.0
//
// The configuration, see plugin.yaml.
#pragma once

#include <gantry/ocr/reader.hpp>
#include <gantry/result.hpp>

#include <string_view>

namespace gantry::ocr_tesseract {

Result<ocr::ReaderSettings> read_settings(std::string_view json);

}  // namespace gantry::ocr_tesseract
