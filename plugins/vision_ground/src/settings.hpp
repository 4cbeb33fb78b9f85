// SPDX-License-Identifier: Apache-2.0
//
// The configuration, see plugin.yaml.
#pragma once

#include <gantry/result.hpp>

#include <boost/describe/class.hpp>

#include <cstdint>
#include <string_view>

namespace gantry::vision_ground {

struct Settings {
  std::int32_t queue = 16;  // requests
  double min_confidence = 0.45;
  std::int64_t timeout = 60'000;  // of a request, ms
};
BOOST_DESCRIBE_STRUCT(Settings, (), (queue, min_confidence, timeout))

Result<Settings> read_settings(std::string_view json);

}  // namespace gantry::vision_ground
