// SPDX-License-Identifier: Apache-2.0
#pragma once
// The plugin's configuration, as plugin.yaml declares it.

#include <gantry/contracts/common.hpp>
#include <gantry/result.hpp>

#include <string>
#include <string_view>
#include <vector>

#include "scenario_world.hpp"

namespace gantry::mock {

struct Settings {
  std::string scenario;                     ///< File to start with; empty: the built-in desktop.
  std::vector<std::string> scenario_roots;  ///< Folders that load requests may name files in.
  std::int64_t max_value_bytes = kMaxValueBytes;
};
BOOST_DESCRIBE_STRUCT(Settings, (), (scenario, scenario_roots, max_value_bytes))

[[nodiscard]] Result<Settings> read_settings(std::string_view json);

/// The configured folders, the folder of the scenario to start with, and the installation's
/// examples.
[[nodiscard]] std::vector<std::string> folders_of(const Settings& settings);
/// InvalidArgument; the detail says file, line, path, what was found and what is allowed.
[[nodiscard]] Error error_of(const ScenarioProblem& problem);

}  // namespace gantry::mock
