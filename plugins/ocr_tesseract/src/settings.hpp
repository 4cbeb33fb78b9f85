// SPDX-License-Identifier: Apache-2.0
//
// The configuration, see plugin.yaml.
#pragma once

#include <gantry/ocr/reader.hpp>
#include <gantry/result.hpp>

#include <boost/describe/class.hpp>

#include <string_view>

namespace gantry::ocr {
BOOST_DESCRIBE_STRUCT(ReaderSettings, (),
                      (languages, data_folder, workers, queue, max_pixels, cache, pictures,
                       idle_release))
}  // namespace gantry::ocr

namespace gantry::ocr_tesseract {

Result<ocr::ReaderSettings> read_settings(std::string_view json);

}  // namespace gantry::ocr_tesseract
