// SPDX-License-Identifier: Apache-2.0
#include "workspaces.hpp"

#include <gantry/contract.hpp>

#include <algorithm>
#include <utility>

#include "chats.hpp"

namespace gantry::chat_cortask {
namespace {

constexpr const char* kDefaultName = "Default";
constexpr const char* kProjects = "/projects";
constexpr const char* kOwnShelf = "workspaces";
constexpr std::string_view kRoot = "root ";

/// This protocol calls a root rootPath.
Error in_own_words(Error error) {
  if (error.message.starts_with(kRoot)) error.message.replace(0, kRoot.size(), "rootPath ");
  return error;
}

}  // namespace

std::string Workspaces::parent() const { return settings_.data_dir + kProjects; }

Result<void> Workspaces::hand_over() {
  Shelf shelf(host_, kOwnShelf);
  GANTRY_ASSIGN(const auto rows, shelf.read_all());
  if (rows.empty()) return {};
  WorkspaceImportRequest request;
  request.principal = kPrincipal;
  request.parent = parent();
  for (const auto& [id, body] : rows) {
    GANTRY_ASSIGN(Workspace workspace, from_json<Workspace>(body.text));
    request.workspaces.push_back(std::move(workspace));
  }
  const auto taken = host_.bus().call_wait<WorkspaceImport>(std::move(request));
  if (!taken.ok()) return taken.error();
  std::vector<Shelf::Change> gone;
  for (const Workspace& one : (*taken)->workspaces) {
    if (rows.contains(one.id)) gone.emplace_back(one.id, std::nullopt);
  }
  if (gone.empty()) return {};
  host_.post([this, gone = std::move(gone)]() mutable {
    Shelf(host_, kOwnShelf).write(std::move(gone), [host = &host_](const Result<void>& written) {
      if (written.ok()) return;
      host->log().warn("workspaces that were handed over are still kept here",
                       {{"reason", written.error().message}});
    });
  });
  return {};
}

Result<void> Workspaces::load() {
  GANTRY_TRY(hand_over());
  const auto read = host_.bus().call_wait<WorkspaceList>({kPrincipal});
  if (!read.ok()) return read.error();
  rows_ = (*read)->workspaces;
  if (!rows_.empty()) return {};
  WorkspaceCreateRequest first;
  first.principal = kPrincipal;
  first.name = kDefaultName;
  first.parent = parent();
  const auto made = host_.bus().call_wait<WorkspaceCreate>(std::move(first));
  if (made.ok()) {
    rows_.push_back(**made);
    host_.healthy("workspaces");
  } else {
    host_.degraded("workspaces", made.error().message,
                   "set chat_cortask.data_dir to a folder that the daemon may write");
  }
  return {};
}

void Workspaces::refresh() {
  if (std::exchange(reading_, true)) {
    stale_ = true;
    return;
  }
  host_.bus().call<WorkspaceList>({kPrincipal}, [this](const Result<Ref<WorkspaceRows>>& read) {
    reading_ = false;
    if (read.ok()) rows_ = (*read)->workspaces;
    if (std::exchange(stale_, false)) refresh();
  });
}

const Workspace* Workspaces::find(const std::string& id) const {
  const auto found = std::find_if(rows_.begin(), rows_.end(),
                                  [&id](const Workspace& one) { return one.id == id; });
  return found == rows_.end() ? nullptr : &*found;
}

const Workspace* Workspaces::find_root(const std::string& root) const {
  const auto found = std::find_if(rows_.begin(), rows_.end(),
                                  [&root](const Workspace& one) { return one.root == root; });
  return found == rows_.end() ? nullptr : &*found;
}

/// Until it is read again it stands at the end of the list.
void Workspaces::put(const Workspace& workspace) {
  const auto known = std::find_if(rows_.begin(), rows_.end(),
                                  [&](const Workspace& one) { return one.id == workspace.id; });
  if (known == rows_.end()) {
    rows_.push_back(workspace);
  } else {
    *known = workspace;
  }
}

void Workspaces::create(WorkspaceWish wish, Done done) {
  WorkspaceCreateRequest request;
  request.principal = kPrincipal;
  request.parent = parent();
  request.name = wish.name.value_or("");
  request.root = wish.root.value_or("");
  request.model = wish.model.value_or("");
  request.policy = wish.policy.value_or(WorkspacePolicy());
  host_.bus().call<WorkspaceCreate>(
      std::move(request), [this, done = std::move(done)](const Result<Ref<Workspace>>& made) {
        if (!made.ok()) return done(in_own_words(made.error()));
        put(**made);
        done(**made);
      });
}

void Workspaces::ask_change(WorkspaceChangeRequest request, Done done) {
  request.principal = kPrincipal;
  request.parent = parent();
  host_.bus().call<WorkspaceChange>(
      std::move(request), [this, done = std::move(done)](const Result<Ref<Workspace>>& changed) {
        if (!changed.ok()) return done(in_own_words(changed.error()));
        put(**changed);
        done(**changed);
      });
}

void Workspaces::change(const std::string& id, WorkspaceWish wish, Done done) {
  WorkspaceChangeRequest request;
  request.workspace = id;
  request.name = std::move(wish.name);
  request.root = std::move(wish.root);
  request.model = std::move(wish.model);
  request.policy = std::move(wish.policy);
  ask_change(std::move(request), std::move(done));
}

void Workspaces::touch(const std::string& id, Done done) {
  WorkspaceChangeRequest request;
  request.workspace = id;
  request.opened = true;
  ask_change(std::move(request), std::move(done));
}

void Workspaces::remove(const std::string& id, Shelf::Done done) {
  host_.bus().call<WorkspaceDelete>(
      {kPrincipal, id}, [this, id, done = std::move(done)](const Result<Ref<gantry::Done>>& gone) {
        if (!gone.ok()) return done(gone.error());
        std::erase_if(rows_, [&id](const Workspace& one) { return one.id == id; });
        done({});
      });
}

void Workspaces::sort(const std::vector<std::string>& ids, Shelf::Done done) {
  host_.bus().call<WorkspaceSort>(
      {kPrincipal, ids}, [this, done = std::move(done)](const Result<Ref<WorkspaceRows>>& sorted) {
        if (!sorted.ok()) return done(sorted.error());
        rows_ = (*sorted)->workspaces;
        done({});
      });
}

}  // namespace gantry::chat_cortask
