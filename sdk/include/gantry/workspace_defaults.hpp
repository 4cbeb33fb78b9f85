// SPDX-License-Identifier: Apache-2.0
//
// What a workspace says about the turns of its sessions, as part of their options.
#pragma once

#include <gantry/contracts/turn.hpp>
#include <gantry/contracts/workspace.hpp>

#include <optional>

namespace gantry {

/// Denied is stricter than asked, asked than allowed.
[[nodiscard]] inline ApprovalMode stricter_mode(ApprovalMode one,
                                                std::optional<ApprovalMode> other) {
  if (!other) return one;
  if (one == ApprovalMode::Deny || *other == ApprovalMode::Deny) return ApprovalMode::Deny;
  return one == ApprovalMode::Ask ? one : *other;
}

inline void apply_workspace_policy(const WorkspacePolicy& policy, ToolPolicy& tools) {
  tools.act = stricter_mode(tools.act, policy.act);
  tools.execute = stricter_mode(tools.execute, policy.execute);
  tools.network = stricter_mode(tools.network, policy.network);
  tools.deny.insert(tools.deny.end(), policy.deny.begin(), policy.deny.end());
}

/// Root and model count where the options name none; of policies the stricter.
inline void apply_workspace(const Workspace& workspace, TurnOptions& options) {
  if (options.workspace_path.empty()) options.workspace_path = workspace.root;
  if (options.model.empty()) options.model = workspace.model;
  apply_workspace_policy(workspace.policy, options.tools);
}

}  // namespace gantry
