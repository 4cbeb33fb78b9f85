// SPDX-License-Identifier: Apache-2.0
#pragma once
// Files below a workspace's root, and nothing else: the kernel resolves every path beneath the open
// folder, so dots, links and folders that are swapped meanwhile lead nowhere else; the root's own
// path may have no links any more. Needs openat2() (Linux 5.6). All functions block on the disk.
//
// Errors of all: permission_denied (the path leads out), not_found (nothing is there, or a part of
// the path is hidden), invalid_argument (no path), failed_precondition (the root is gone, or is a
// link now), unavailable (the disk, or an older kernel).

#include <gantry/contracts/workspace.hpp>
#include <gantry/result.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace gantry::workspaces {

struct FileText {
  std::string text;
  std::int64_t changed_ms = 0;  // since 1970
};

/// At most `limit` bytes of a regular file. Errors besides: out_of_range (it is larger).
[[nodiscard]] Result<FileText> read_file(const std::string& root, const std::string& path,
                                         std::size_t limit);
/// Makes the folders on the way, and replaces what is there in one step.
[[nodiscard]] Result<void> write_file(const std::string& root, const std::string& path,
                                      std::string_view content);
/// A file, or a folder with all that is in it.
[[nodiscard]] Result<void> remove_path(const std::string& root, const std::string& path);
[[nodiscard]] Result<void> rename_path(const std::string& root, const std::string& from,
                                       const std::string& to);
/// As WorkspaceTree says.
[[nodiscard]] Result<std::vector<WorkspaceEntry>> list_tree(const std::string& root, int depth);
/// As WorkspaceNewest says.
[[nodiscard]] Result<std::vector<WorkspaceEntry>> newest_files(const std::string& root,
                                                               std::size_t most);
/// The text of a file, or why there is none.
[[nodiscard]] WorkspaceReference read_reference(const std::string& root, const std::string& path,
                                                std::size_t limit);

}  // namespace gantry::workspaces
