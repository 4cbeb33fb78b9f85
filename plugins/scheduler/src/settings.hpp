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

namespace gantry::scheduler {

struct Settings {
  bool enabled = true;
  std::string time_zone;
  std::int64_t missed_after = 60'000;  // milliseconds, as all durations here
  std::int64_t run_limit = 1'800'000;
  std::int32_t max_running = 4;
  std::int32_t jobs_per_principal = 100;
  std::int32_t history = 100;
  std::vector<std::string> tools;
};
BOOST_DESCRIBE_STRUCT(Settings, (),
                      (enabled, time_zone, missed_after, run_limit, max_running, jobs_per_principal,
                       history, tools))

Result<Settings> read_settings(std::string_view json);

}  // namespace gantry::scheduler
