// SPDX-License-Identifier: Apache-2.0
#include "root_folder.hpp"

#include <gantry/tools/workspace.hpp>
#include <gantry/uuid.hpp>

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace gantry::workspaces {
namespace {

namespace fs = std::filesystem;

/// Of the part of `path` below `folder`: whether a component is hidden.
bool has_hidden_part(const fs::path& path, const fs::path& folder) {
  const fs::path below = path.lexically_relative(folder);
  return std::any_of(below.begin(), below.end(), [](const fs::path& part) {
    return part.string().starts_with('.') && part != ".";
  });
}

/// Whether who sees `folder` sees what lies at `path`, too.
bool shows(const fs::path& folder, const fs::path& path) {
  return tools::lies_within(path.string(), folder.string()) && !has_hidden_part(path, folder);
}

}  // namespace

bool overlap(const std::string& one, const std::string& other) {
  return shows(one, other) || shows(other, one);
}

Result<std::string> prepare_root(const std::string& parent, const std::vector<std::string>& folders,
                                 const std::string& root) {
  std::error_code problem;
  fs::create_directories(parent, problem);
  if (problem) {
    return unavailable("the folder " + parent + " cannot be made: " + problem.message(),
                       "set workspaces.folder to a folder that the daemon may write");
  }
  if (root.empty()) {
    const fs::path made = fs::path(parent) / random_uuid();
    fs::create_directories(made, problem);
    if (problem) return unavailable("a workspace's folder cannot be made: " + problem.message());
    return fs::canonical(made, problem).string();
  }
  const fs::path found = fs::canonical(tools::expand_path(root, {}, tools::home_folder()), problem);
  if (problem || !fs::is_directory(found, problem)) {
    return invalid_argument("root must be a folder that exists");
  }
  std::vector<std::string> allowed = folders;
  allowed.push_back(parent);
  for (const std::string& one : allowed) {
    const fs::path folder =
        fs::canonical(tools::expand_path(one, {}, tools::home_folder()), problem);
    if (problem || !shows(folder, found)) continue;
    if (!shows(found, fs::canonical(parent, problem))) return found.string();
    return invalid_argument("root must be a folder that holds nobody else's workspaces");
  }
  return invalid_argument(
      "root must lie in one of workspaces.folders, and in no hidden folder; the configuration "
      "names "
      "them");
}

}  // namespace gantry::workspaces
