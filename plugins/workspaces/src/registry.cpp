// SPDX-License-Identifier: Apache-2.0
#include "registry.hpp"

#include <gantry/contract.hpp>
#include <gantry/uuid.hpp>

#include <algorithm>
#include <memory>
#include <utility>

#include "root_folder.hpp"

namespace gantry::workspaces {
namespace {

constexpr std::size_t kLongestName = 200;
constexpr std::size_t kLongestModel = 512;
constexpr std::size_t kMostDenied = 1000;

std::string trimmed_name(const std::string& name) {
  const auto first = name.find_first_not_of(" \t\r\n");
  if (first == std::string::npos) return {};
  return name.substr(first, name.find_last_not_of(" \t\r\n") - first + 1);
}

Error no_workspace() { return not_found("Workspace not found"); }

}  // namespace

std::int64_t Registry::now_ms() const { return host_.wall_ns() / 1'000'000; }

Result<void> Registry::load() {
  GANTRY_ASSIGN(const auto rows, shelf_.read_all());
  for (const auto& [id, body] : rows) {
    GANTRY_ASSIGN(Workspace workspace, from_json<Workspace>(body.text));
    by_id_[id] = std::move(workspace);
  }
  return {};
}

const Workspace* Registry::find(const std::string& principal, const std::string& id) const {
  const auto found = by_id_.find(id);
  if (found == by_id_.end() || found->second.principal != principal) return nullptr;
  return &found->second;
}

const Workspace* Registry::find_named(const WorkspaceRef& named) const {
  if (const Workspace* found = find(named.principal, named.workspace)) return found;
  const Workspace* out = nullptr;
  for (const auto& [id, one] : by_id_) {
    if (one.principal != named.principal || one.name != named.workspace) continue;
    if (out != nullptr) return nullptr;
    out = &one;
  }
  return out;
}

WorkspaceRows Registry::list(const std::string& principal) const {
  WorkspaceRows out;
  for (const auto& [id, one] : by_id_) {
    if (one.principal == principal) out.workspaces.push_back(one);
  }
  std::stable_sort(out.workspaces.begin(), out.workspaces.end(),
                   [](const Workspace& a, const Workspace& b) {
                     if ((a.place == 0) != (b.place == 0)) return a.place != 0;
                     if (a.place != b.place) return a.place < b.place;
                     return a.accessed_ms > b.accessed_ms;
                   });
  return out;
}

Result<void> Registry::check(const Workspace& workspace) const {
  if (workspace.name.empty()) return invalid_argument("name is required");
  if (workspace.name.size() > kLongestName) {
    return invalid_argument("name has at most 200 bytes");
  }
  if (workspace.model.size() > kLongestModel || workspace.policy.deny.size() > kMostDenied) {
    return invalid_argument("the model or the policy is too long");
  }
  return {};
}

void Registry::tell(const Workspace& workspace, bool gone) {
  host_.bus().publish<WorkspaceChanged>({workspace.principal, workspace.id, gone});
}

void Registry::keep_all(std::vector<Workspace> workspaces, Shelf::Done done) {
  std::vector<Shelf::Change> changes;
  for (const Workspace& one : workspaces) changes.emplace_back(one.id, Json(to_json(one)));
  if (changes.empty()) return done({});
  shelf_.write(std::move(changes), [this, workspaces = std::move(workspaces),
                                    done = std::move(done)](const Result<void>& written) {
    if (!written.ok()) return done(written);
    for (const Workspace& one : workspaces) {
      by_id_[one.id] = one;
      tell(one, false);
    }
    done({});
  });
}

void Registry::keep(Workspace workspace, Done done) {
  keep_all({workspace}, [workspace, done = std::move(done)](const Result<void>& written) {
    if (!written.ok()) return done(written.error());
    done(workspace);
  });
}

void Registry::with_root(const std::string& parent, const std::string& root,
                         std::function<void(Result<std::string>)> then) {
  Host& host = host_;
  host.blocking([&host, parent = parent.empty() ? settings_.folder : parent, root,
                 folders = settings_.folders, then = std::move(then)]() mutable {
    auto folder = std::make_shared<Result<std::string>>(prepare_root(parent, folders, root));
    host.post([folder, then = std::move(then)] { then(std::move(*folder)); });
  });
}

void Registry::create(const WorkspaceCreateRequest& request, Done done) {
  Workspace made;
  made.principal = request.principal;
  made.name = trimmed_name(request.name);
  made.model = request.model;
  made.policy = request.policy;
  if (const auto checked = check(made); !checked.ok()) return done(checked.error());
  if (std::ssize(list(request.principal).workspaces) >= settings_.most) {
    return done(Error{Code::ResourceExhausted,
                      "there are " + std::to_string(settings_.most) +
                          " workspaces, and no more are kept (workspaces.most); delete one",
                      {}});
  }
  with_root(
      request.parent, request.root,
      [this, made = std::move(made), done = std::move(done)](Result<std::string> root) mutable {
        if (!root.ok()) return done(root.error());
        made.id = random_uuid();
        made.root = std::move(*root);
        made.created_ms = made.accessed_ms = now_ms();
        keep(std::move(made), std::move(done));
      });
}

void Registry::change(const WorkspaceChangeRequest& request, Done done) {
  const Workspace* found = find(request.principal, request.workspace);
  if (found == nullptr) return done(no_workspace());
  // Made of what is there when it is written: somebody else may change it meanwhile.
  const auto apply = [this, request, done](const std::string& root) {
    const Workspace* known = find(request.principal, request.workspace);
    if (known == nullptr) return done(no_workspace());
    Workspace changed = *known;
    if (request.name) changed.name = trimmed_name(*request.name);
    if (request.model) changed.model = *request.model;
    if (request.policy) changed.policy = *request.policy;
    if (!root.empty()) changed.root = root;
    if (request.opened) changed.accessed_ms = std::max(now_ms(), changed.accessed_ms);
    if (const auto checked = check(changed); !checked.ok()) return done(checked.error());
    keep(std::move(changed), done);
  };
  if (!request.root || request.root->empty()) return apply({});
  with_root(request.parent, *request.root, [apply, done](const Result<std::string>& root) {
    if (!root.ok()) return done(root.error());
    apply(*root);
  });
}

void Registry::remove(const WorkspaceRef& which, Shelf::Done done) {
  const Workspace* found = find(which.principal, which.workspace);
  if (found == nullptr) return done({});
  shelf_.write({{found->id, std::nullopt}},
               [this, gone = *found, done = std::move(done)](const Result<void>& written) {
                 if (written.ok()) {
                   by_id_.erase(gone.id);
                   tell(gone, true);
                 }
                 done(written);
               });
}

void Registry::sort(const WorkspaceSortRequest& request, DoneRows done) {
  std::vector<Workspace> sorted;
  for (const std::string& id : request.workspaces) {
    const Workspace* found = find(request.principal, id);
    const bool twice = std::any_of(sorted.begin(), sorted.end(),
                                   [&id](const Workspace& one) { return one.id == id; });
    if (found == nullptr || twice) continue;
    sorted.push_back(*found);
    sorted.back().place = static_cast<std::int64_t>(sorted.size());
  }
  keep_all(std::move(sorted), [this, principal = request.principal,
                               done = std::move(done)](const Result<void>& written) {
    if (!written.ok()) return done(written.error());
    done(list(principal));
  });
}

void Registry::import(const WorkspaceImportRequest& request, DoneRows done) {
  std::vector<Workspace> unknown;
  for (Workspace one : request.workspaces) {
    one.principal = request.principal;
    const bool fit = !one.id.empty() && one.root.starts_with('/') && check(one).ok();
    if (fit && !by_id_.contains(one.id)) unknown.push_back(std::move(one));
  }
  Host& host = host_;
  host.blocking([this, &host, unknown = std::move(unknown), principal = request.principal,
                 parent = request.parent.empty() ? settings_.folder : request.parent,
                 folders = settings_.folders, done = std::move(done)]() mutable {
    std::vector<Workspace> taken;
    for (Workspace& one : unknown) {
      auto root = prepare_root(parent, folders, one.root);
      if (!root.ok()) {
        host.log().warn("a workspace is not taken over",
                        {{"workspace", one.name}, {"reason", root.error().message}});
        continue;
      }
      one.root = std::move(*root);
      taken.push_back(std::move(one));
    }
    host.post([this, taken = std::move(taken), principal, done = std::move(done)]() mutable {
      keep_all(std::move(taken), [this, principal, done](const Result<void>& written) {
        if (!written.ok()) return done(written.error());
        done(list(principal));
      });
    });
  });
}

}  // namespace gantry::workspaces
