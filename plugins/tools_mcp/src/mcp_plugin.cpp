// SPDX-License-Identifier: Apache-2.0
#include "mcp_plugin.hpp"

#include <chrono>
#include <utility>

#include "names.hpp"

namespace gantry::tools_mcp {

using std::chrono::milliseconds;

Result<void> McpToolsPlugin::init() {
  GANTRY_ASSIGN(settings_, read_settings(host().config_json()));
  tools_.set_callers(settings_.callers);
  tools_.hold_lists();
  return tools_.serve({});
}

Result<void> McpToolsPlugin::start() {
  for (const auto& [name, settings] : settings_.servers) {
    if (!settings.enabled) continue;
    servers_.push_back(std::make_shared<Server>(host(), name, settings, settings_.limits,
                                                link_maker(name, settings)));
  }
  unsettled_ = servers_.size();
  if (unsettled_ == 0) tools_.release_lists();
  // Whoever asks for the tools waits for slow servers, but not for ever.
  list_wait_ = host().after(milliseconds(settings_.list_wait), [this] { tools_.release_lists(); });
  for (const auto& server : servers_) {
    ServerEvents events;
    events.changed = [this] { offer(); };
    events.settled = [this] { one_settled(); };
    server->begin(std::move(events));
  }
  tools_.announce();
  return {};
}

Server::MakeLink McpToolsPlugin::link_maker(const std::string& name,
                                            const ServerSettings& settings) {
  if (!settings.url.empty()) {
    HttpPlan plan;
    plan.url = settings.url;
    plan.headers.assign(settings.headers.begin(), settings.headers.end());
    plan.ca_file = settings.ca_file;
    plan.longest_message = static_cast<std::size_t>(settings_.limits.message);
    return [this, name, plan]() -> std::unique_ptr<Link> {
      return std::make_unique<HttpLink>(host(), name, plan);
    };
  }
  ProgramPlan plan;
  plan.command = settings.command;
  plan.arguments = settings.args;
  plan.environment = program_environment(settings.pass, settings.env);
  plan.directory = settings.directory;
  plan.longest_line = static_cast<std::size_t>(settings_.limits.message);
  plan.grace = milliseconds(settings_.grace);
  return [this, name, plan]() -> std::unique_ptr<Link> {
    return std::make_unique<ProgramLink>(host(), name, plan, ending_);
  };
}

void McpToolsPlugin::one_settled() {
  if (--unsettled_ > 0) return;
  list_wait_.cancel();
  tools_.release_lists();
}

void McpToolsPlugin::offer() {
  std::vector<RemoteName> remote;
  for (const auto& server : servers_) {
    for (const RemoteTool& tool : server->tools()) remote.push_back({server->name(), tool.name});
  }
  const std::vector<std::string> names = tool_names(remote);
  std::vector<tools::Tool> tools;
  std::size_t at = 0;
  for (const auto& server : servers_) {
    for (const RemoteTool& tool : server->tools()) {
      tools::Tool& out = tools.emplace_back();
      out.description = tool.description;
      out.description.name = names[at++];
      out.description.unavailable = server->unavailable_reason();
      out.open_arguments = true;  // the server knows its schema
      out.run = [weak = std::weak_ptr<Server>(server),
                 name = tool.name](const tools::CallPtr& call) {
        if (const auto alive = weak.lock()) return alive->call(name, call);
        call->fail(unavailable("the MCP server is being stopped"));
      };
    }
  }
  tools_.replace(std::move(tools));
}

void McpToolsPlugin::stop(Deadline) {
  for (const auto& server : servers_) server->stop();
  tools_.stop();
  servers_.clear();
  ending_->clear();  // waits for each, as long as its grace
}

}  // namespace gantry::tools_mcp
