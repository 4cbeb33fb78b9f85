// SPDX-License-Identifier: Apache-2.0
#pragma once
// Files that requests name lie in folders that the configuration names; links do not lead out.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace gantry::observation {

/// The path without links and dots when it exists and lies in one of the folders, else nothing:
/// nobody learns what lies outside. A relative path is tried in the working directory and then in
/// each folder. Blocks on the disk.
[[nodiscard]] std::optional<std::filesystem::path> find_in_roots(
    const std::string& path, const std::vector<std::string>& folders);

}  // namespace gantry::observation
