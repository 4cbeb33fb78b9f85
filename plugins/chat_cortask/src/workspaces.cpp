// SPDX-License-Identifier: Apache-2.0
#include "workspaces.hpp"

#include <gantry/contract.hpp>
#include <gantry/tools/workspace.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <random>
#include <system_error>
#include <utility>

namespace gantry::chat_cortask {
namespace {

namespace fs = std::filesystem;

constexpr const char* kDefaultName = "Default";
constexpr const char* kProjects = "projects";
constexpr std::size_t kLongestName = 200;

std::string trimmed_name(const std::string& name) {
  const auto first = name.find_first_not_of(" \t\r\n");
  if (first == std::string::npos) return {};
  return name.substr(first, name.find_last_not_of(" \t\r\n") - first + 1);
}

/// Of the part of `path` below `folder`: whether a component is hidden.
bool has_hidden_part(const fs::path& path, const fs::path& folder) {
  const fs::path below = path.lexically_relative(folder);
  return std::any_of(below.begin(), below.end(), [](const fs::path& part) {
    return part.string().starts_with('.') && part != ".";
  });
}

Error no_workspace() { return not_found("Workspace not found"); }

}  // namespace

std::string random_uuid() {
  std::random_device device;
  std::array<std::uint32_t, 4> words{};
  for (std::uint32_t& word : words) word = device();
  return fmt::format("{:08x}-{:04x}-4{:03x}-{:04x}-{:04x}{:08x}", words[0], words[1] >> 16U,
                     words[1] & 0xFFFU, 0x8000U | ((words[2] >> 16U) & 0x3FFFU), words[2] & 0xFFFFU,
                     words[3]);
}

Result<std::string> prepare_root(const std::string& data_dir,
                                 const std::vector<std::string>& folders, const std::string& root) {
  std::error_code problem;
  fs::create_directories(fs::path(data_dir) / kProjects, problem);
  if (problem) {
    return unavailable("the folder " + data_dir + " cannot be made: " + problem.message(),
                       "set chat_cortask.data_dir to a folder that the daemon may write");
  }
  if (root.empty()) {
    const fs::path made = fs::path(data_dir) / kProjects / random_uuid();
    fs::create_directories(made, problem);
    if (problem) return unavailable("a workspace's folder cannot be made: " + problem.message());
    return fs::canonical(made, problem).string();
  }
  const fs::path found = fs::canonical(tools::expand_path(root, {}, tools::home_folder()), problem);
  if (problem || !fs::is_directory(found, problem)) {
    return invalid_argument("rootPath must be a folder that exists");
  }
  std::vector<std::string> allowed = folders;
  allowed.push_back((fs::path(data_dir) / kProjects).string());
  for (const std::string& one : allowed) {
    const fs::path folder =
        fs::canonical(tools::expand_path(one, {}, tools::home_folder()), problem);
    if (problem || !tools::lies_within(found.string(), folder.string())) continue;
    if (!has_hidden_part(found, folder)) return found.string();
  }
  return invalid_argument(
      "rootPath must lie in one of chat_cortask.workspace_folders, and in no hidden folder");
}

std::int64_t Workspaces::now_ms() const { return host_.wall_ns() / 1'000'000; }

Result<void> Workspaces::load() {
  GANTRY_ASSIGN(const auto rows, shelf_.read_all());
  for (const auto& [id, body] : rows) {
    GANTRY_ASSIGN(Workspace workspace, from_json<Workspace>(body.text));
    by_id_[id] = std::move(workspace);
  }
  if (by_id_.empty()) {
    create(kDefaultName, {}, [host = &host_](const Result<Workspace>& made) {
      if (made.ok()) return host->healthy("workspaces");
      host->degraded("workspaces", made.error().message,
                     "set chat_cortask.data_dir to a folder that the daemon may write");
    });
  }
  return {};
}

const Workspace* Workspaces::find(const std::string& id) const {
  const auto found = by_id_.find(id);
  return found == by_id_.end() ? nullptr : &found->second;
}

std::vector<Workspace> Workspaces::list() const {
  std::vector<Workspace> out;
  for (const auto& [id, workspace] : by_id_) out.push_back(workspace);
  std::stable_sort(out.begin(), out.end(), [](const Workspace& a, const Workspace& b) {
    if ((a.place == 0) != (b.place == 0)) return a.place != 0;
    if (a.place != b.place) return a.place < b.place;
    return a.accessed_ms > b.accessed_ms;
  });
  return out;
}

void Workspaces::keep(Workspace workspace, Done done) {
  Json body(to_json(workspace));
  shelf_.write({{workspace.id, std::move(body)}},
               [this, workspace, done = std::move(done)](const Result<void>& written) {
                 if (!written.ok()) return done(written.error());
                 by_id_[workspace.id] = workspace;
                 done(workspace);
               });
}

void Workspaces::create(std::string name, std::string root, Done done) {
  name = trimmed_name(name);
  if (name.empty()) return done(invalid_argument("name is required"));
  if (name.size() > kLongestName) return done(invalid_argument("name has at most 200 bytes"));
  Host& host = host_;
  host.blocking([this, &host, name = std::move(name), root = std::move(root),
                 data_dir = settings_.data_dir, folders = settings_.workspace_folders,
                 done = std::move(done)]() mutable {
    auto folder = std::make_shared<Result<std::string>>(prepare_root(data_dir, folders, root));
    host.post([this, name = std::move(name), folder, done = std::move(done)]() mutable {
      if (!folder->ok()) return done(folder->error());
      Workspace made;
      made.id = random_uuid();
      made.name = std::move(name);
      made.root = **folder;
      made.created_ms = made.accessed_ms = now_ms();
      keep(std::move(made), std::move(done));
    });
  });
}

void Workspaces::change(const std::string& id, std::optional<std::string> name,
                        std::optional<std::string> root, Done done) {
  const Workspace* found = find(id);
  if (found == nullptr) return done(no_workspace());
  Workspace changed = *found;
  if (name) changed.name = trimmed_name(*name);
  if (changed.name.empty()) return done(invalid_argument("name is required"));
  if (!root || root->empty()) return keep(std::move(changed), std::move(done));
  Host& host = host_;
  host.blocking([this, &host, changed = std::move(changed), root = std::move(*root),
                 data_dir = settings_.data_dir, folders = settings_.workspace_folders,
                 done = std::move(done)]() mutable {
    auto folder = std::make_shared<Result<std::string>>(prepare_root(data_dir, folders, root));
    host.post([this, changed = std::move(changed), folder, done = std::move(done)]() mutable {
      if (!folder->ok()) return done(folder->error());
      changed.root = **folder;
      keep(std::move(changed), std::move(done));
    });
  });
}

void Workspaces::touch(const std::string& id, Done done) {
  const Workspace* found = find(id);
  if (found == nullptr) return done(no_workspace());
  Workspace opened = *found;
  opened.accessed_ms = std::max(now_ms(), opened.accessed_ms);
  keep(std::move(opened), std::move(done));
}

void Workspaces::remove(const std::string& id, Shelf::Done done) {
  if (find(id) == nullptr) return done({});
  shelf_.write({{id, std::nullopt}}, [this, id, done = std::move(done)](const Result<void>& gone) {
    if (gone.ok()) by_id_.erase(id);
    done(gone);
  });
}

void Workspaces::sort(const std::vector<std::string>& ids, Shelf::Done done) {
  auto sorted = std::make_shared<std::vector<Workspace>>();
  for (const std::string& id : ids) {
    const Workspace* found = find(id);
    if (found == nullptr) continue;
    sorted->push_back(*found);
    sorted->back().place = static_cast<std::int64_t>(sorted->size());
  }
  std::vector<Shelf::Change> changes;
  for (const Workspace& one : *sorted) changes.emplace_back(one.id, Json(to_json(one)));
  shelf_.write(std::move(changes),
               [this, sorted, done = std::move(done)](const Result<void>& written) {
                 if (!written.ok()) return done(written);
                 for (const Workspace& one : *sorted) by_id_[one.id] = one;
                 done({});
               });
}

}  // namespace gantry::chat_cortask
