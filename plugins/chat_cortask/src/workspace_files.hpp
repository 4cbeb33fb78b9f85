// SPDX-License-Identifier: Apache-2.0
#pragma once
// Files below a workspace's root, and nothing else: the kernel resolves every path beneath the open
// folder, so dots, links and folders that are swapped meanwhile lead nowhere else. Needs openat2()
// (Linux 5.6). All functions block on the disk.
//
// Errors of all: permission_denied (the path leads out), not_found (nothing is there, or a part of
// the path is hidden), invalid_argument (no path), unavailable (the disk, or an older kernel).

#include <gantry/contracts/common.hpp>
#include <gantry/result.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace gantry::chat_cortask {

/// At most `limit` bytes of a regular file. Errors besides: out_of_range (it is larger).
[[nodiscard]] Result<std::string> read_file(const std::string& root, const std::string& path,
                                            std::size_t limit);
/// Makes the folders on the way, and replaces what is there in one step.
[[nodiscard]] Result<void> write_file(const std::string& root, const std::string& path,
                                      const std::string& content);
/// A file, or a folder with all that is in it.
[[nodiscard]] Result<void> remove_path(const std::string& root, const std::string& path);
[[nodiscard]] Result<void> rename_path(const std::string& root, const std::string& from,
                                       const std::string& to);

struct TreeEntry {
  std::string path;  // relative to the root
  std::string name;
  std::string type;  // dir, file
};
BOOST_DESCRIBE_STRUCT(TreeEntry, (), (path, name, type))

/// Depth first, folders before files, by name; without hidden ones and folders that programs fill
/// (node_modules, dist, __pycache__). Links are not followed. At most 5000 rows.
[[nodiscard]] Result<std::vector<TreeEntry>> list_tree(const std::string& root, int depth);

struct FileTime {
  std::string name;
  double mtime = 0;  // milliseconds since 1970
};
BOOST_DESCRIBE_STRUCT(FileTime, (), (name, mtime))

/// The newest plain files in the root itself, the newest first.
[[nodiscard]] Result<std::vector<FileTime>> newest_files(const std::string& root, std::size_t most);

}  // namespace gantry::chat_cortask
