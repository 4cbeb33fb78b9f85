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

WorkspaceView view_of(const Workspace& workspace) {
  WorkspaceView view{
      workspace.id, workspace.name, workspace.root, iso_time_of(workspace.accessed_ms), {}, {}};
  const std::size_t slash = workspace.model.find('/');
  if (!workspace.model.empty()) view.model = workspace.model.substr(slash + 1);
  if (slash != std::string::npos) view.provider = workspace.model.substr(0, slash);
  return view;
}

/// Answers with the workspace, when there is one.
Workspaces::Done answer_with(Exchange& exchange, int status) {
  return [self = exchange.shared_from_this(), status](const Result<Workspace>& workspace) {
    if (!workspace.ok()) return self->fail(workspace.error());
    self->json(to_json(view_of(*workspace)), status);
  };
}

std::optional<ApprovalMode> mode_of(const boost::json::object& approvals, const char* kind) {
  const boost::json::value* word = approvals.if_contains(kind);
  if (word == nullptr || !word->is_string()) return std::nullopt;
  return approval_mode(std::string_view(word->get_string()));
}

/// What the body says; a model is named as {provider, model}, as the page has them.
WorkspaceWish wish_of(const Exchange& exchange) {
  WorkspaceWish wish;
  wish.name = exchange.text("name");
  wish.root = exchange.text("rootPath");
  if (const auto model = exchange.text("model")) {
    const std::string provider = exchange.text("provider").value_or("");
    wish.model = model->empty() || provider.empty() ? *model : provider + "/" + *model;
  }
  const boost::json::value* approvals = exchange.body.if_contains("approvals");
  if (approvals != nullptr && approvals->is_object()) {
    const boost::json::object& given = approvals->get_object();
    wish.policy = WorkspacePolicy{
        mode_of(given, "act"), mode_of(given, "execute"), mode_of(given, "network"), {}};
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
  WorkspaceWish wish = wish_of(exchange);
  if (!wish.name) return exchange.error(400, "name is required");
  exchange.services().workspaces.create(std::move(wish), answer_with(exchange, 201));
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
  if (workspaces.find(id) == nullptr) return exchange.json("null");  // as deployed clients know it
  workspaces.change(id, wish_of(exchange), answer_with(exchange, 200));
}

void delete_workspace(Exchange& exchange) {
  exchange.services().workspaces.remove(exchange.parameters[0], exchange.then_json(""));
}

void open_workspace(Exchange& exchange) {
  exchange.services().workspaces.touch(exchange.parameters[0], answer_with(exchange, 200));
}

}  // namespace gantry::chat_cortask
