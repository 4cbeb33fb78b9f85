// SPDX-License-Identifier: Apache-2.0
#include "path_roots.hpp"

#include <algorithm>
#include <system_error>

namespace gantry::observation {
namespace {

namespace fs = std::filesystem;

std::optional<fs::path> real_path(const fs::path& path) {
  std::error_code error;
  fs::path out = fs::canonical(path, error);
  if (error) return std::nullopt;
  return out;
}

/// Both without links and dots.
bool lies_in(const fs::path& file, const fs::path& folder) {
  return std::mismatch(folder.begin(), folder.end(), file.begin(), file.end()).first ==
         folder.end();
}

}  // namespace

std::optional<fs::path> find_in_roots(const std::string& path,
                                      const std::vector<std::string>& folders) {
  std::vector<fs::path> places{path};
  if (places.front().is_relative()) {
    for (const std::string& folder : folders) places.push_back(fs::path(folder) / path);
  }
  for (const fs::path& place : places) {
    const std::optional<fs::path> file = real_path(place);
    if (!file) continue;
    for (const std::string& folder : folders) {
      const std::optional<fs::path> root = real_path(folder);
      if (root && lies_in(*file, *root)) return file;
    }
  }
  return std::nullopt;
}

}  // namespace gantry::observation
