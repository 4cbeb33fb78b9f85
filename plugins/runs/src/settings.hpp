// SPDX-License-Identifier: Apache-2.0
//
// The configuration, see plugin.yaml.
#pragma once

#include <gantry/result.hpp>

#include <boost/describe/class.hpp>

#include <cstdint>
#include <string_view>

namespace gantry::runs {

struct Settings {
  std::int32_t max_active_per_workspace = 1;
};
BOOST_DESCRIBE_STRUCT(Settings, (), (max_active_per_workspace))

Result<Settings> read_settings(std::string_view json);

}  // namespace gantry::runs
