// SPDX-License-Identifier: Apache-2.0
#include "registry.hpp"

#include <gantry/contract.hpp>
#include <gantry/uuid.hpp>

#include <unistd.h>

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

void warn_left_out(Host& host, const Workspace& workspace, const Error& why) {
  host.log().warn("a workspace is not taken over",
                  {{"workspace", workspace.name}, {"reason", why.message}});
}

/// `done`, and then the next in the line.
template <class T>
std::function<void(Result<T>)> ended(std::function<void(Result<T>)> done, Line::Over over) {
  return [done = std::move(done), over = std::move(over)](Result<T> result) {
    done(std::move(result));
    over();
  };
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

Result<void> Registry::check_room(const std::string& principal) const {
  if (std::ssize(list(principal).workspaces) < settings_.most) return {};
  return Error{Code::ResourceExhausted,
               "there are " + std::to_string(settings_.most) +
                   " workspaces, and no more are kept (workspaces.most); delete one",
               {}};
}

/// What lies in a root is its principal's alone.
Result<void> Registry::check_root(const Workspace& workspace) const {
  for (const auto& [id, one] : by_id_) {
    if (one.principal == workspace.principal || !overlap(one.root, workspace.root)) continue;
    return invalid_argument("root must lie apart from the folders of other users' workspaces");
  }
  return {};
}

void Registry::create(const WorkspaceCreateRequest& request, Done done) {
  Workspace made;
  made.principal = request.principal;
  made.name = trimmed_name(request.name);
  made.model = request.model;
  made.policy = request.policy;
  if (const auto checked = check(made); !checked.ok()) return done(checked.error());
  // Again when it is its turn; but most are told here, before a folder is made.
  if (const auto room = check_room(made.principal); !room.ok()) return done(room.error());
  const auto begin = [this, made, folder_is_new = request.root.empty(),
                      done](const Result<std::string>& root) mutable {
    if (!root.ok()) return done(root.error());
    made.id = random_uuid();
    made.root = *root;
    made.created_ms = made.accessed_ms = now_ms();
    line_.add([this, made, folder_is_new, done](const Line::Over& over) {
      add(made, folder_is_new, ended(done, over));
    });
  };
  with_root(request.parent, request.root, begin);
}

void Registry::add(const Workspace& made, bool folder_is_new, Done done) {
  Result<void> fits = check_room(made.principal);
  if (fits.ok()) fits = check_root(made);
  if (fits.ok()) return keep(made, std::move(done));
  if (folder_is_new) host_.blocking([root = made.root] { ::rmdir(root.c_str()); });
  done(fits.error());
}

void Registry::change(const WorkspaceChangeRequest& request, Done done) {
  if (find(request.principal, request.workspace) == nullptr) return done(no_workspace());
  const auto begin = [this, request, done = std::move(done)](const Result<std::string>& root) {
    if (!root.ok()) return done(root.error());
    line_.add([this, request, root = *root, done](const Line::Over& over) {
      apply(request, root, ended(done, over));
    });
  };
  if (!request.root || request.root->empty()) return begin(std::string());
  with_root(request.parent, *request.root, begin);
}

void Registry::apply(const WorkspaceChangeRequest& request, const std::string& root, Done done) {
  const Workspace* known = find(request.principal, request.workspace);
  if (known == nullptr) return done(no_workspace());
  Workspace changed = *known;
  if (request.name) changed.name = trimmed_name(*request.name);
  if (request.model) changed.model = *request.model;
  if (request.policy) changed.policy = *request.policy;
  if (!root.empty()) {
    changed.root = root;
    if (const auto apart = check_root(changed); !apart.ok()) return done(apart.error());
  }
  if (request.opened) changed.accessed_ms = std::max(now_ms(), changed.accessed_ms);
  if (const auto checked = check(changed); !checked.ok()) return done(checked.error());
  keep(std::move(changed), std::move(done));
}

void Registry::remove(const WorkspaceRef& which, Shelf::Done done) {
  line_.add([this, which, done = std::move(done)](const Line::Over& over) {
    forget(which, ended(done, over));
  });
}

void Registry::forget(const WorkspaceRef& which, Shelf::Done done) {
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
  line_.add([this, request, done = std::move(done)](const Line::Over& over) {
    place(request, rows_of(request.principal, ended(done, over)));
  });
}

void Registry::place(const WorkspaceSortRequest& request, Shelf::Done done) {
  std::vector<Workspace> sorted;
  for (const std::string& id : request.workspaces) {
    const Workspace* found = find(request.principal, id);
    const bool twice = std::any_of(sorted.begin(), sorted.end(),
                                   [&id](const Workspace& one) { return one.id == id; });
    if (found == nullptr || twice) continue;
    sorted.push_back(*found);
    sorted.back().place = static_cast<std::int64_t>(sorted.size());
  }
  keep_all(std::move(sorted), std::move(done));
}

Shelf::Done Registry::rows_of(const std::string& principal, DoneRows done) const {
  return [this, principal, done = std::move(done)](const Result<void>& written) {
    if (!written.ok()) return done(written.error());
    done(list(principal));
  };
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
        warn_left_out(host, one, root.error());
        continue;
      }
      one.root = std::move(*root);
      taken.push_back(std::move(one));
    }
    host.post([this, taken = std::move(taken), principal, done = std::move(done)]() mutable {
      line_.add([this, taken = std::move(taken), principal, done](const Line::Over& over) {
        take_over(taken, rows_of(principal, ended(done, over)));
      });
    });
  });
}

void Registry::take_over(std::vector<Workspace> rows, Shelf::Done done) {
  std::erase_if(rows, [this](const Workspace& one) {
    if (by_id_.contains(one.id)) return true;
    const auto apart = check_root(one);
    if (!apart.ok()) warn_left_out(host_, one, apart.error());
    return !apart.ok();
  });
  keep_all(std::move(rows), std::move(done));
}

}  // namespace gantry::workspaces
