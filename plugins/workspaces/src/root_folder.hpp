// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which folder is a workspace's root.

#include <gantry/result.hpp>

#include <string>
#include <vector>

namespace gantry::workspaces {

/// Makes a folder of its own below `parent` when `root` is empty; else checks the one that is
/// named: it is there, and lies below `parent` or one of `folders` (~/ is the home of the daemon's
/// user), with no hidden part between. The parent itself is none, and no folder that shows it: all
/// that was made for others lies there. Its absolute path without links. Blocks on the disk.
/// Errors: invalid_argument (begins with "root"), unavailable.
[[nodiscard]] Result<std::string> prepare_root(const std::string& parent,
                                               const std::vector<std::string>& folders,
                                               const std::string& root);

/// Whether one of two roots shows files of the other: they are the same, or one lies in the other
/// with no hidden part between.
[[nodiscard]] bool overlap(const std::string& one, const std::string& other);

}  // namespace gantry::workspaces
