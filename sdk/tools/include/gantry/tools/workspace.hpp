// SPDX-License-Identifier: Apache-2.0
#pragma once
// Where tools work: folders that the configuration names, and of a session's own workspace only
// what the configuration admits. Blocks on the disk.

#include <gantry/contracts/tool.hpp>
#include <gantry/result.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace gantry::tools {

/// A principal as the name of one folder: letters, digits, - and _ stay, everything else is written
/// as .xx in hexadecimal; "" is "local". Two principals never have the same.
[[nodiscard]] std::string principal_folder(std::string_view principal);

/// A configured path: {principal} and a leading ~/ are replaced; where `home` is empty ~/ stays,
/// and the path is no absolute one.
[[nodiscard]] std::string expand_path(std::string_view path, std::string_view principal,
                                      std::string_view home);
/// The home folder of the daemon's user, from HOME, else from the system's users; empty: it has
/// none.
[[nodiscard]] std::string home_folder();

struct WorkspaceSettings {
  std::string workspace;                // of whoever brings none; made when it is missing
  std::vector<std::string> workspaces;  // folders in which a session's workspace may lie
};

/// The folder of a call, absolute, without links: the session's when it lies in one of
/// `workspaces`, else the configured one. Errors: unavailable (it cannot be made), and
/// failed_precondition (it is no folder).
[[nodiscard]] Result<std::string> find_workspace(const WorkspaceSettings& settings,
                                                 const ToolCallRequest& request);

/// Component-wise: /top/job holds /top/job and /top/job/x, and not /top/jobs. Both absolute and
/// without dots.
[[nodiscard]] bool lies_within(std::string_view path, std::string_view folder);

}  // namespace gantry::tools
