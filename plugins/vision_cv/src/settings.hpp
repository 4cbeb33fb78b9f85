// SPDX-License-Identifier: Apache-2.0
//
// The configuration, see plugin.yaml.
#pragma once

#include <gantry/result.hpp>

#include <boost/describe/class.hpp>

#include <cstdint>
#include <string_view>

namespace gantry::vision_cv {

struct Settings {
  std::int64_t max_pixels = 40'000'000;
  std::int32_t queue = 16;  // requests
};
BOOST_DESCRIBE_STRUCT(Settings, (), (max_pixels, queue))

Result<Settings> read_settings(std::string_view json);

}  // namespace gantry::vision_cv
