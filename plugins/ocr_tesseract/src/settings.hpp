// SPDX-License-Identifier: Apache-2.0
//
// The configuration, see plugin.yaml.
#pragma once

#include <gantry/result.hpp>

#include <boost/describe/class.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gantry::ocr_tesseract {

struct Settings {
  std::vector<std::string> languages{"eng"};
  std::string data_folder;
  std::int32_t workers = 2;
  std::int32_t queue = 16;  // requests
  std::int64_t max_pixels = 40'000'000;
  std::int64_t cache = 8LL * 1024 * 1024;  // bytes
  std::int32_t pictures = 3;
  std::int64_t idle_release = 60'000;  // milliseconds
};
BOOST_DESCRIBE_STRUCT(Settings, (),
                      (languages, data_folder, workers, queue, max_pixels, cache, pictures,
                       idle_release))

Result<Settings> read_settings(std::string_view json);

}  // namespace gantry::ocr_tesseract
