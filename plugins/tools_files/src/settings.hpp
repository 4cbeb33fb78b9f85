// SPDX-License-Identifier: Apache-2.0
#pragma once
// The configuration, see plugin.yaml.

#include <gantry/result.hpp>

#include <boost/describe/class.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gantry::files {

/// Sizes in bytes, times in milliseconds.
struct LimitSettings {
  std::int64_t file = 10'485'760;
  std::int64_t read = 262'144;
  std::int64_t image = 4'194'304;
  std::int64_t results = 500;
  std::int64_t entries = 100'000;
  std::int64_t search_time = 10'000;
};
BOOST_DESCRIBE_STRUCT(LimitSettings, (), (file, read, image, results, entries, search_time))

struct Settings {
  std::vector<std::string> callers{"agent_engine"};
  std::string workspace;
  std::vector<std::string> workspaces;
  std::vector<std::string> roots;
  std::vector<std::string> hidden;
  LimitSettings limits;
};
BOOST_DESCRIBE_STRUCT(Settings, (), (callers, workspace, workspaces, roots, hidden, limits))

Result<Settings> read_settings(std::string_view json);

}  // namespace gantry::files
