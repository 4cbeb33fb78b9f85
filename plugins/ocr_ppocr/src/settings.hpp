// SPDX-License-Identifier: Apache-2.0
//
// The configuration, see plugin.yaml.
#pragma once

#include <gantry/ocr/reader.hpp>
#include <gantry/result.hpp>

#include <boost/describe/class.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gantry::ocr_ppocr {

struct Settings : ocr::ReaderSettings {
  std::string models_dir;
  std::int32_t threads = 2;
};
BOOST_DESCRIBE_STRUCT(Settings, (ocr::ReaderSettings), (models_dir, threads))

Result<Settings> read_settings(std::string_view json);

}  // namespace gantry::ocr_ppocr
