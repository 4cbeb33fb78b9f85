// SPDX-License-Identifier: Apache-2.0
#include "settings.hpp"

#include <gantry/contract.hpp>

#include <algorithm>
#include <set>

namespace gantry::gateway {
bool is_agent_key(std::string_view key) {
  return !key.empty() && key.size() <= 64 && std::all_of(key.begin(), key.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.';
  });
}

Result<Settings> read_settings(std::string_view json) {
  GANTRY_ASSIGN(Settings settings, from_json<Settings>(json));
  std::set<std::string> keys;
  for (AgentSettings& agent : settings.agents) {
    if (!is_agent_key(agent.key)) {
      return invalid_argument("gateway_v3.agents: found the key '" + agent.key +
                              "', allowed: 1 to 64 letters, digits and _ - .");
    }
    if (!keys.insert(agent.key).second) {
      return invalid_argument("gateway_v3.agents: there are two of the key '" + agent.key + "'");
    }
    if (agent.name.empty()) agent.name = agent.key;
  }
  if (settings.agents.empty()) {
    AgentSettings agent;
    agent.key = "default";
    agent.name = "Gantry";
    settings.agents.push_back(std::move(agent));
  }
  return settings;
}

ToolPolicy tool_policy(const Settings& settings, const AgentSettings& agent) {
  ToolPolicy policy;
  policy.daemon_tools = agent.tools.empty() ? settings.daemon_tools : agent.tools;
  apply_approvals(settings.approvals, policy);
  policy.approval_timeout_ms = settings.approvals.timeout;
  return policy;
}

}  // namespace gantry::gateway
