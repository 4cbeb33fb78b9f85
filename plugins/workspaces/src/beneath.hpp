// SPDX-License-Identifier: Apache-2.0
#pragma once
// Opening what lies below a workspace's root. Linux 5.6.

#include <gantry/result.hpp>
#include <gantry/unique_fd.hpp>

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace gantry::workspaces {

/// What a failed call means to who asked for `path`.
[[nodiscard]] Error failure(int number, const std::string& path);

/// The parts of a path without empty ones and single dots; hidden ones and ".." are refused.
[[nodiscard]] Result<std::vector<std::string>> parts_of(const std::string& path);

/// Links are followed as long as they stay below `folder`. Empty: errno says why, EXDEV that the
/// path leads out.
[[nodiscard]] UniqueFd open_beneath(int folder, const std::string& path, std::uint64_t flags);

/// The root had no links when the workspace was made, and may have none now.
[[nodiscard]] Result<UniqueFd> open_root(const std::string& root);

/// The open folder that a path's last part lies in, and that part.
struct Place {
  UniqueFd folder;
  std::string name;
};
[[nodiscard]] Result<Place> find_place(const std::string& root, const std::string& path,
                                       bool make_folders);

}  // namespace gantry::workspaces
