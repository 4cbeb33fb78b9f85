// SPDX-License-Identifier: Apache-2.0
#pragma once
// The workspaces of this chat's user, as the plugin `workspaces` has them: what is there is known
// here without asking, so that a chat is judged where it arrives. Strand only.

#include <gantry/contracts/workspace.hpp>
#include <gantry/host.hpp>
#include <gantry/result.hpp>
#include <gantry/shelf.hpp>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "settings.hpp"

namespace gantry::chat_cortask {

/// What a client says about a workspace.
struct WorkspaceWish {
  std::optional<std::string> name;
  std::optional<std::string> root;
  std::optional<std::string> model;  // id of the catalogue; empty: none
  std::optional<WorkspacePolicy> policy;
};

class Workspaces {
 public:
  using Done = std::function<void(Result<Workspace>)>;

  Workspaces(Host& host, const Settings& settings) : host_(host), settings_(settings) {}

  /// Reads them, and hands over those that this plugin kept itself before; makes "Default" when
  /// there is none. Waits; nothing else is used before it has ended.
  Result<void> load();
  /// Reads them again: somebody has changed one.
  void refresh();

  /// The workspace, or nullptr. Valid until something changes.
  [[nodiscard]] const Workspace* find(const std::string& id) const;
  /// The one with this root, or nullptr.
  [[nodiscard]] const Workspace* find_root(const std::string& root) const;
  /// As the user has sorted them, then the one used last.
  [[nodiscard]] const std::vector<Workspace>& list() const { return rows_; }

  // Errors: those of gantry.workspace.*, in the words of this protocol.
  void create(WorkspaceWish wish, Done done);
  void change(const std::string& id, WorkspaceWish wish, Done done);
  /// It was opened just now.
  void touch(const std::string& id, Done done);
  /// Forgets it; the folder stays. Of one that is not there: nothing.
  void remove(const std::string& id, Shelf::Done done);
  /// Unknown ids are passed over.
  void sort(const std::vector<std::string>& ids, Shelf::Done done);

 private:
  Result<void> hand_over();
  [[nodiscard]] std::string parent() const;
  void put(const Workspace& workspace);
  void ask_change(WorkspaceChangeRequest request, Done done);

  Host& host_;
  const Settings& settings_;
  std::vector<Workspace> rows_;
  bool reading_ = false;
  bool stale_ = false;  // changed while it was read
};

}  // namespace gantry::chat_cortask
