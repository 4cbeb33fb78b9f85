// SPDX-License-Identifier: Apache-2.0
#include "tool_policy.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "text.hpp"

namespace gantry::agent {
namespace {

bool any_fits(const std::vector<std::string>& patterns, std::string_view name) {
  return std::any_of(patterns.begin(), patterns.end(),
                     [name](const std::string& pattern) { return fits(pattern, name); });
}

bool has(const std::vector<std::string>& list, std::string_view word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

ApprovalMode mode_of(std::string_view word) {
  if (word == "deny") return ApprovalMode::Deny;
  return word == "ask" ? ApprovalMode::Ask : ApprovalMode::Allow;
}

/// From lenient to strict.
int rank(ApprovalMode mode) {
  return mode == ApprovalMode::Allow ? 0 : mode == ApprovalMode::Ask ? 1 : 2;
}

/// Why a tool that runs here is not offered; empty: it is.
std::string daemon_reason(const AgentTool& tool, const AgentToolsRequest& request,
                          const ToolSettings& settings) {
  if (tool.plugin == kOwnPlugin) {
    return request.tools.questionnaires ? "" : "this protocol cannot put questions to its user";
  }
  if (!any_fits(settings.allow, tool.name) || any_fits(settings.deny, tool.name)) {
    return "the configuration does not allow it (agent_engine.tools)";
  }
  if (!any_fits(request.tools.daemon_tools, tool.name)) {
    return "this protocol does not offer it";
  }
  if (approval_mode(tool.kind, request.tools, settings.approval) == ApprovalMode::Deny) {
    return "tools of its class are not allowed";
  }
  return {};
}

/// Why no tool of this name is offered, wherever it runs; empty: it may be.
std::string common_reason(const AgentTool& tool, const AgentToolsRequest& request) {
  if (request.tools.allow && !has(*request.tools.allow, tool.name)) {
    return "the session's list of tools does not have it";
  }
  if (any_fits(request.tools.deny, tool.name)) return "the session has switched it off";
  if (!tool.capability.empty() && has(request.tools.disabled_capabilities, tool.capability)) {
    return "the session has switched off the capability " + tool.capability;
  }
  if (request.mode == "chat" && tool.capability == "browser") {
    return "it is not offered in the mode chat";
  }
  return {};
}

}  // namespace

ApprovalMode approval_mode(ToolClass kind, const ToolPolicy& policy,
                           const ApprovalSettings& settings) {
  const auto stricter = [](ApprovalMode asked, const std::string& configured) {
    const ApprovalMode limit = mode_of(configured);
    return rank(asked) >= rank(limit) ? asked : limit;
  };
  switch (kind) {
    case ToolClass::Read: return stricter(policy.read, settings.read);
    case ToolClass::Act: return stricter(policy.act, settings.act);
    case ToolClass::Execute: return stricter(policy.execute, settings.execute);
    case ToolClass::Network: break;
  }
  return stricter(policy.network, settings.network);
}

std::vector<AgentTool> judge_tools(const ToolSet& daemon, const AgentToolsRequest& request,
                                   const ToolSettings& settings) {
  std::map<std::string, AgentTool> tools;
  for (const AgentTool& tool : daemon) {
    AgentTool judged = tool;
    judged.reason = daemon_reason(tool, request, settings);
    if (judged.reason.empty()) judged.reason = common_reason(tool, request);
    // Last what the tool itself lacks: nothing that may not be used is worth a cure.
    if (judged.reason.empty()) judged.reason = tool.reason;
    tools.emplace(tool.name, std::move(judged));
  }
  for (const ClientTool& tool : request.client_tools) {
    AgentTool judged;
    judged.name = tool.name;
    judged.description = tool.description;
    judged.schema = tool.schema;
    judged.place = ToolPlace::Client;
    judged.kind = ToolClass::Act;
    judged.capability = tool.capability;
    tools.insert_or_assign(tool.name, std::move(judged));
  }
  std::vector<AgentTool> out;
  for (auto& [name, tool] : tools) {
    if (tool.reason.empty()) tool.reason = common_reason(tool, request);
    tool.offered = tool.reason.empty();
    out.push_back(std::move(tool));
  }
  return out;
}

}  // namespace gantry::agent
