// SPDX-License-Identifier: Apache-2.0
#pragma once
// How a command is run: by bubblewrap, which shows it a read-only system, its workspace, a private
// /tmp and nothing else, or, when the configuration says so, by a shell with all rights of the
// daemon's user. Blocks on the disk.

#include <gantry/result.hpp>

#include <string>

#include "settings.hpp"
#include "spawn.hpp"

namespace gantry::shell {

struct CommandRequest {
  std::string command;    // for the shell
  std::string workspace;  // absolute, without links
  std::string folder;     // where it starts: absolute, or relative to the workspace; empty: there
  std::string principal;  // for {principal} in configured paths
  bool wants_input = false;
};

/// Where commands find their home in the sandbox; nothing of it is kept.
inline constexpr const char* kSandboxHome = "/tmp/home";

/// Why no command can be run, with what would help; empty: bubblewrap is there, or is not wanted.
[[nodiscard]] std::string sandbox_missing(const Settings& settings);

/// The whole plan. Errors: unavailable (bubblewrap is not there; with its cure), not_found and
/// permission_denied (the folder).
[[nodiscard]] Result<SpawnPlan> plan_command(const Settings& settings,
                                             const CommandRequest& request);

}  // namespace gantry::shell
