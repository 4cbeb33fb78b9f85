// SPDX-License-Identifier: Apache-2.0
#include <gantry/contract.hpp>
#include <gantry/iso_time.hpp>

#include <algorithm>
#include <vector>

#include "api_wire.hpp"
#include "routes.hpp"
#include "workspaces.hpp"

namespace gantry::chat_cortask {
namespace {

constexpr std::size_t kMostListed = 20;

WorkspaceView view_of(const Workspace& workspace) {
  return {workspace.id, workspace.name, workspace.root, iso_time_of(workspace.accessed_ms)};
}

/// Answers with the workspace, when there is one.
Workspaces::Done answer_with(Exchange& exchange, int status) {
  return [self = exchange.shared_from_this(), status](const Result<Workspace>& workspace) {
    if (!workspace.ok()) return self->fail(workspace.error());
    self->json(to_json(view_of(*workspace)), status);
  };
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
  const auto name = exchange.text("name");
  if (!name) return exchange.error(400, "name is required");
  exchange.services().workspaces.create(*name, exchange.text("rootPath").value_or(""),
                                        answer_with(exchange, 201));
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
  workspaces.change(id, exchange.text("name"), exchange.text("rootPath"),
                    answer_with(exchange, 200));
}

void delete_workspace(Exchange& exchange) {
  exchange.services().workspaces.remove(exchange.parameters[0], exchange.then_json(""));
}

void open_workspace(Exchange& exchange) {
  exchange.services().workspaces.touch(exchange.parameters[0], answer_with(exchange, 200));
}

}  // namespace gantry::chat_cortask
