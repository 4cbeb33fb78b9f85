// SPDX-License-Identifier: Apache-2.0
//
// The configuration, see plugin.yaml.
#pragma once

#include <gantry/result.hpp>

#include <boost/describe/class.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace gantry::artifacts {

struct Settings {
  std::string folder;
  std::int64_t max_bytes = 25LL * 1024 * 1024;
  std::int64_t quota = 0;      // bytes of one owner; 0: none
  std::int64_t retention = 0;  // milliseconds; 0: for ever
};
BOOST_DESCRIBE_STRUCT(Settings, (), (folder, max_bytes, quota, retention))

Result<Settings> read_settings(std::string_view json);

}  // namespace gantry::artifacts
