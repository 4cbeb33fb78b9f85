// SPDX-License-Identifier: Apache-2.0
//
// What a workspace says about the turns of its sessions, as part of their options.
#pragma once

#include <gantry/contracts/turn.hpp>
#include <gantry/contracts/workspace.hpp>
#include <gantry/result.hpp>

#include <boost/json/parse.hpp>

#include <optional>
#include <string_view>

namespace gantry {

/// Whether a failure of WorkspaceGet says that there is no such workspace: the principal has none,
/// or no plugin that keeps any is enabled. After any other nobody knows what it forbids.
[[nodiscard]] inline bool is_no_workspace(const Error& error) {
  if (error.code == Code::NotFound) return true;
  if (error.code != Code::Unavailable) return false;
  boost::system::error_code damaged;
  const boost::json::value detail = boost::json::parse(error.detail, damaged);
  const boost::json::object* told = damaged ? nullptr : detail.if_object();
  if (told == nullptr || !told->contains("plugins") || told->contains("down")) return false;
  const boost::json::value* contract = told->if_contains("contract");
  return contract != nullptr && contract->is_string() &&
         std::string_view(contract->get_string()) == WorkspaceGet::kName;
}

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
