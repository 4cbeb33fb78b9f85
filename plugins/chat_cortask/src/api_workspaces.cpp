// SPDX-License-Identifier: Apache-2.0
#include <gantry/approval_settings.hpp>
#include <gantry/contract.hpp>
#include <gantry/iso_time.hpp>

#include <boost/json/array.hpp>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "api_wire.hpp"
#include "routes.hpp"
#include "workspaces.hpp"

namespace gantry::chat_cortask {
namespace {

constexpr std::size_t kMostListed = 20;

std::optional<std::string> word_of(std::optional<ApprovalMode> mode) {
  if (!mode) return std::nullopt;
  if (*mode == ApprovalMode::Allow) return "allow";
  return *mode == ApprovalMode::Deny ? "deny" : "ask";
}

WorkspaceView view_of(const Workspace& workspace) {
  WorkspaceView view;
  view.id = workspace.id;
  view.name = workspace.name;
  view.rootPath = workspace.root;
  view.lastAccessedAt = iso_time_of(workspace.accessed_ms);
  const std::size_t slash = workspace.model.find('/');
  if (!workspace.model.empty()) view.model = workspace.model.substr(slash + 1);
  if (slash != std::string::npos) view.provider = workspace.model.substr(0, slash);
  const WorkspacePolicy& policy = workspace.policy;
  if (policy.act || policy.execute || policy.network) {
    view.approvals =
        WorkspaceApprovals{word_of(policy.act), word_of(policy.execute), word_of(policy.network)};
  }
  return view;
}

/// Answers with the workspace, when there is one.
Workspaces::Done answer_with(Exchange& exchange, int status) {
  return [self = exchange.shared_from_this(), status](const Result<Workspace>& workspace) {
    if (!workspace.ok()) return self->fail(workspace.error());
    self->json(to_json(view_of(*workspace)), status);
  };
}

/// `policy` with what `approvals` says. A word that is not understood would leave open what was to
/// be forbidden: it is an error.
Result<WorkspacePolicy> with_approvals(WorkspacePolicy policy,
                                       const boost::json::value& approvals) {
  const boost::json::object* given = approvals.if_object();
  if (given == nullptr) {
    return invalid_argument("approvals must be an object with act, execute or network");
  }
  for (const auto& [kind, word] : *given) {
    std::optional<ApprovalMode>* mode = kind == "act"       ? &policy.act
                                        : kind == "execute" ? &policy.execute
                                        : kind == "network" ? &policy.network
                                                            : nullptr;
    const std::string name = "approvals." + std::string(kind);
    if (mode == nullptr) return invalid_argument(name + " is unknown: act, execute, network");
    if (word != "allow" && word != "ask" && word != "deny") {
      return invalid_argument(name + " must be allow, ask or deny");
    }
    *mode = approval_mode(std::string_view(word.get_string()));
  }
  return policy;
}

/// What the body says; a model is named as {provider, model}, as the page has them. `present` is
/// the policy as it is.
Result<WorkspaceWish> wish_of(const Exchange& exchange, const WorkspacePolicy& present) {
  WorkspaceWish wish;
  wish.name = exchange.text("name");
  wish.root = exchange.text("rootPath");
  if (const auto model = exchange.text("model")) {
    const std::string provider = exchange.text("provider").value_or("");
    wish.model = model->empty() || provider.empty() ? *model : provider + "/" + *model;
  }
  if (const boost::json::value* approvals = exchange.body.if_contains("approvals")) {
    GANTRY_ASSIGN(wish.policy, with_approvals(present, *approvals));
  }
  return wish;
}

}  // namespace

void list_workspaces(Exchange& exchange) {
  std::vector<WorkspaceView> out;
  for (const Workspace& one : exchange.services().workspaces.list()) {
    if (out.size() < kMostListed) out.push_back(view_of(one));
  }
  exchange.json(to_json(out));
}

void create_workspace(Exchange& exchange) {
  Result<WorkspaceWish> wish = wish_of(exchange, {});
  if (!wish.ok()) return exchange.fail(wish.error());
  if (!wish->name) return exchange.error(400, "name is required");
  exchange.services().workspaces.create(std::move(*wish), answer_with(exchange, 201));
}

void sort_workspaces(Exchange& exchange) {
  const boost::json::value* ids = exchange.body.if_contains("ids");
  if (ids == nullptr || !ids->is_array()) return exchange.error(400, "ids array required");
  std::vector<std::string> wanted;
  for (const boost::json::value& id : ids->get_array()) {
    if (id.is_string()) wanted.emplace_back(id.get_string());
  }
  exchange.services().workspaces.sort(wanted, exchange.then_json(R"({"ok":true})"));
}

void read_workspace(Exchange& exchange) {
  const Workspace* found = exchange.services().workspaces.find(exchange.parameters[0]);
  if (found == nullptr) return exchange.error(404, "Workspace not found");
  exchange.json(to_json(view_of(*found)));
}

void change_workspace(Exchange& exchange) {
  Workspaces& workspaces = exchange.services().workspaces;
  const std::string& id = exchange.parameters[0];
  const Workspace* present = workspaces.find(id);
  if (present == nullptr) return exchange.json("null");  // as deployed clients know it
  Result<WorkspaceWish> wish = wish_of(exchange, present->policy);
  if (!wish.ok()) return exchange.fail(wish.error());
  workspaces.change(id, std::move(*wish), answer_with(exchange, 200));
}

void delete_workspace(Exchange& exchange) {
  exchange.services().workspaces.remove(exchange.parameters[0], exchange.then_json(""));
}

void open_workspace(Exchange& exchange) {
  exchange.services().workspaces.touch(exchange.parameters[0], answer_with(exchange, 200));
}

}  // namespace gantry::chat_cortask
