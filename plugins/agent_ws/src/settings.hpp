// SPDX-License-Identifier: Apache-2.0
#pragma once
// The plugin's configuration, as plugin.yaml declares it. Durations are milliseconds.

#include <gantry/approval_settings.hpp>
#include <gantry/contracts/common.hpp>
#include <gantry/result.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gantry::agent_ws {

/// What a user's settings are until the user changes them.
struct SettingDefaults {
  std::string model_mode = "online";
  std::string model_provider;
  std::string selected_model_id;
  std::string interaction_mode = "agent";
  bool speech_mode_enabled = false;
  bool wakeword_enabled = false;
  bool wakeword_stt_enabled = false;
  bool browser_automation_enabled = true;
  bool include_query_screenshot = false;
};
BOOST_DESCRIBE_STRUCT(SettingDefaults, (),
                      (model_mode, model_provider, selected_model_id, interaction_mode,
                       speech_mode_enabled, wakeword_enabled, wakeword_stt_enabled,
                       browser_automation_enabled, include_query_screenshot))

struct Settings {
  std::string listener = "agent";
  std::string path = "/ws";
  std::string host = "127.0.0.1";
  std::int64_t port = 8765;  // -1: another plugin opens the listener
  std::vector<std::string> allowed_hosts;
  std::vector<std::string> allowed_origins;
  std::vector<std::string> daemon_tools = {"web_search"};
  ApprovalSettings approvals;  // this protocol cannot ask: another client of the principal answers
  bool tolerate_legacy_handshake = false;
  std::string models_listed = "grouped";  // grouped, flat
  bool echo_tool_output = false;
  std::string greeting = "Hello! I'm listening.";
  std::int64_t max_tasks = 50;  // of one connection
  std::int64_t receive_timeout = 3'600'000;
  std::int64_t handshake_timeout = 60'000;
  std::int64_t linger = 30'000;  // a turn goes on so long without a connection
  bool wait_for_place = false;   // above the engine's limits; else the query is refused
  SettingDefaults defaults;
};
BOOST_DESCRIBE_STRUCT(Settings, (),
                      (listener, path, host, port, allowed_hosts, allowed_origins, daemon_tools,
                       approvals, tolerate_legacy_handshake, models_listed, echo_tool_output,
                       greeting, max_tasks, receive_timeout, handshake_timeout, linger,
                       wait_for_place, defaults))

}  // namespace gantry::agent_ws
