// SPDX-License-Identifier: Apache-2.0
//
// The plugin's configuration as it comes from the host.
#pragma once

#include <gantry/result.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace gantry::x11 {

/// Keys of plugin.yaml; durations in milliseconds.
struct Settings {
  std::string display;
  std::int64_t first_retry = 100;
  std::int64_t longest_retry = 5000;
  std::int64_t hang_limit = 15000;
  std::int64_t capture_idle = 20000;
};

/// From the validated JSON of Host::config_json().
Result<Settings> parse_settings(std::string_view json);

}  // namespace gantry::x11
