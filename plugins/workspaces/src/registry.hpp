// SPDX-License-Identifier: Apache-2.0
#pragma once
// All workspaces: kept in the store, and all of them in memory, which is what the store has
// answered. So changes are made one after the other: each of what the one before has left. Strand
// only; folders are looked at on other threads.

#include <gantry/contracts/workspace.hpp>
#include <gantry/host.hpp>
#include <gantry/result.hpp>
#include <gantry/shelf.hpp>

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "line.hpp"
#include "settings.hpp"

namespace gantry::workspaces {

class Registry {
 public:
  using Done = std::function<void(Result<Workspace>)>;
  using DoneRows = std::function<void(Result<WorkspaceRows>)>;

  Registry(Host& host, const Settings& settings)
      : host_(host), settings_(settings), shelf_(host, "workspaces") {}

  /// Reads them. Waits; nothing else is used before it has ended.
  Result<void> load();

  /// The workspace, or nullptr. Valid until something changes.
  [[nodiscard]] const Workspace* find(const std::string& principal, const std::string& id) const;
  /// The same by id or by the name that only one has.
  [[nodiscard]] const Workspace* find_named(const WorkspaceRef& named) const;
  [[nodiscard]] WorkspaceRows list(const std::string& principal) const;

  // Errors of all: as their contracts have them. `done` is called once, on the strand.
  void create(const WorkspaceCreateRequest& request, Done done);
  void change(const WorkspaceChangeRequest& request, Done done);
  void remove(const WorkspaceRef& which, Shelf::Done done);
  void sort(const WorkspaceSortRequest& request, DoneRows done);
  void import(const WorkspaceImportRequest& request, DoneRows done);

 private:
  /// `then` has the folder that `root` is, on the strand.
  void with_root(const std::string& parent, const std::string& root,
                 std::function<void(Result<std::string>)> then);
  // These are called in the line.
  void add(const Workspace& made, bool folder_is_new, Done done);
  void apply(const WorkspaceChangeRequest& request, const std::string& root, Done done);
  void forget(const WorkspaceRef& which, Shelf::Done done);
  void place(const WorkspaceSortRequest& request, Shelf::Done done);
  void take_over(std::vector<Workspace> rows, Shelf::Done done);
  [[nodiscard]] Shelf::Done rows_of(const std::string& principal, DoneRows done) const;
  void keep(Workspace workspace, Done done);
  void keep_all(std::vector<Workspace> workspaces, Shelf::Done done);
  void tell(const Workspace& workspace, bool gone);
  [[nodiscard]] Result<void> check_room(const std::string& principal) const;
  [[nodiscard]] Result<void> check_root(const Workspace& workspace) const;
  [[nodiscard]] Result<void> check(const Workspace& workspace) const;
  [[nodiscard]] std::int64_t now_ms() const;

  Host& host_;
  const Settings& settings_;
  Shelf shelf_;
  Line line_;
  std::map<std::string, Workspace> by_id_;
};

}  // namespace gantry::workspaces
