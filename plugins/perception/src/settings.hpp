// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gantry/result.hpp>

#include <boost/describe/class.hpp>

#include <cstdint>
#include <string_view>

namespace gantry::perception {

struct Settings {
  std::int64_t max_pixels = 40'000'000;
  std::int32_t queue = 16;
  std::int64_t pixels_at_once = 80'000'000;
};
BOOST_DESCRIBE_STRUCT(Settings, (), (max_pixels, queue, pixels_at_once))

Result<Settings> read_settings(std::string_view json);

}  // namespace gantry::perception
