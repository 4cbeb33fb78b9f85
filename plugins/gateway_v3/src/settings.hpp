// SPDX-License-Identifier: Apache-2.0
#pragma once
// Configuration of the plugin, as in plugin.yaml.

#include <gantry/approval_settings.hpp>
#include <gantry/contracts/turn.hpp>
#include <gantry/result.hpp>

#include <boost/describe/class.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gantry::gateway {

struct AgentSettings {
  std::string key;
  std::string name;
  std::string description;
  std::string emoji;
  std::string model;
  std::string system_prompt;
  std::string workspace;
  std::vector<std::string> tools;  // empty: daemon_tools
};
BOOST_DESCRIBE_STRUCT(AgentSettings, (),
                      (key, name, description, emoji, model, system_prompt, workspace, tools))

struct ApprovalRules {
  std::string act = "ask";
  std::string execute = "ask";
  std::string network = "allow";
  std::int64_t timeout = 120'000;
};
BOOST_DESCRIBE_STRUCT(ApprovalRules, (), (act, execute, network, timeout))

struct PairingSettings {
  std::int64_t code_lifetime = 3'600'000;
  std::int64_t device_lifetime = 2'592'000'000;
  std::int64_t max_pending_per_address = 3;
  std::int64_t max_pending = 100;
  std::int64_t attempts_per_minute = 10;
};
BOOST_DESCRIBE_STRUCT(PairingSettings, (),
                      (code_lifetime, device_lifetime, max_pending_per_address, max_pending,
                       attempts_per_minute))

struct Settings {
  std::string listener = "gateway";
  std::string host = "127.0.0.1";
  std::int32_t port = 18790;
  std::vector<std::string> allowed_hosts;
  std::vector<std::string> allowed_origins;
  std::string token;
  std::vector<std::string> owner_ids;
  bool open_on_loopback = false;
  std::vector<AgentSettings> agents;
  std::vector<std::string> daemon_tools{"*"};
  ApprovalRules approvals;
  std::int64_t rate_limit_rpm = 20;
  PairingSettings pairing;
  std::int64_t new_chat_hold = 1'000;
  std::int64_t queue_messages = 4096;
  std::int64_t queue_bytes = 4'194'304;
  std::int64_t max_upload = 52'428'800;
};
BOOST_DESCRIBE_STRUCT(Settings, (),
                      (listener, host, port, allowed_hosts, allowed_origins, token, owner_ids,
                       open_on_loopback, agents, daemon_tools, approvals, rate_limit_rpm, pairing,
                       new_chat_hold, queue_messages, queue_bytes, max_upload))

/// Without agents there is one, "default". Errors: invalid_argument (two agents of one name, or a
/// name that is none).
Result<Settings> read_settings(std::string_view json);

/// 1 to 64 letters, digits and _ - .
bool is_agent_key(std::string_view key);

/// What tools the turns of this agent may use.
ToolPolicy tool_policy(const Settings& settings, const AgentSettings& agent);

}  // namespace gantry::gateway
