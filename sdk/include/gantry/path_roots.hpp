// SPDX-License-Identifier: Apache-2.0
//
// Files that requests name lie in folders that the configuration names; links do not lead out.
#pragma once

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

namespace gantry {

namespace detail {

inline std::optional<std::filesystem::path> real_path(const std::filesystem::path& path) {
  std::error_code error;
  std::filesystem::path out = std::filesystem::canonical(path, error);
  if (error) return std::nullopt;
  return out;
}

/// Both without links and dots.
inline bool lies_in(const std::filesystem::path& file, const std::filesystem::path& folder) {
  return std::mismatch(folder.begin(), folder.end(), file.begin(), file.end()).first ==
         folder.end();
}

}  // namespace detail

/// The path without links and dots when it exists and lies in one of the folders, else nothing:
/// nobody learns what lies outside. A relative path is tried in the working directory and then in
/// each folder. Blocks on the disk.
[[nodiscard]] inline std::optional<std::filesystem::path> find_in_roots(
    const std::string& path, const std::vector<std::string>& folders) {
  std::vector<std::filesystem::path> places{path};
  if (places.front().is_relative()) {
    for (const std::string& folder : folders) {
      places.push_back(std::filesystem::path(folder) / path);
    }
  }
  for (const std::filesystem::path& place : places) {
    std::optional<std::filesystem::path> file = detail::real_path(place);
    if (!file) continue;
    for (const std::string& folder : folders) {
      const std::optional<std::filesystem::path> root = detail::real_path(folder);
      if (root && detail::lies_in(*file, *root)) return file;
    }
  }
  return std::nullopt;
}

}  // namespace gantry
