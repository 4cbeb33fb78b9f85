// SPDX-License-Identifier: Apache-2.0
#pragma once
// The environment of commands: what is listed here and in the configuration, and nothing else of
// the daemon's. Pure functions but for reading the daemon's environment.

#include <gantry/result.hpp>

#include <string>
#include <string_view>
#include <vector>

#include "settings.hpp"

namespace gantry::shell {

/// Whether a variable of the daemon may be passed on by name: not the daemon's own (GANTRY_…, and
/// the names of the programs that it stands for), not what changes how programs are loaded (LD_…),
/// and not what looks like a secret (…KEY…, …TOKEN…, …SECRET…, …PASSW…, …CREDENTIAL…, …AUTH…).
[[nodiscard]] bool may_pass(std::string_view name);
/// Whether the configuration may give a variable of this name a value of its own.
[[nodiscard]] bool may_set(std::string_view name);

/// InvalidArgument that names the first variable that must not be there.
[[nodiscard]] Result<void> check_environment(const EnvironmentSettings& settings);

/// NAME=value of all that a command gets: PATH, HOME, TERM, the language and time zone of the
/// daemon, and what is configured.
[[nodiscard]] std::vector<std::string> command_environment(const EnvironmentSettings& settings,
                                                           std::string_view home);

}  // namespace gantry::shell
