// SPDX-License-Identifier: Apache-2.0
#pragma once
// The plugin's configuration, as plugin.yaml declares it, with the environment names of existing
// installations on top. Durations are milliseconds.

#include <gantry/approval_settings.hpp>
#include <gantry/contracts/turn.hpp>
#include <gantry/result.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gantry::chat_cortask {

struct Settings {
  std::string listener = "cortask";
  std::string host = "127.0.0.1";
  std::int64_t port = 3777;
  std::int64_t port_search = 10;  // ports that are tried, from `port` on
  std::string token;              // secret; empty: none is needed, and only loopback is served
  std::vector<std::string> allowed_hosts;
  std::string cors_origin;
  std::string data_dir;
  std::string secret;  // secret
  std::vector<std::string> daemon_tools = {"*"};
  ApprovalSettings approvals;
  std::int64_t permission_timeout = 60'000;
  bool tool_call_arguments = true;
  std::string model;
  std::int64_t linger = 30'000;
};
BOOST_DESCRIBE_STRUCT(Settings, (),
                      (listener, host, port, port_search, token, allowed_hosts, cors_origin,
                       data_dir, secret, daemon_tools, approvals, permission_timeout,
                       tool_call_arguments, model, linger))

/// The value of an environment variable; none when it is not set or empty.
using Environment = std::function<std::optional<std::string>(const char* name)>;

/// CORTASK_PORT and its neighbours win over the configuration. Errors: invalid_argument (a port
/// that is none).
[[nodiscard]] Result<Settings> read_settings(std::string_view json, const Environment& environment);

/// The process's own.
[[nodiscard]] Environment process_environment();

/// Which tools a run may use, and what is asked before.
[[nodiscard]] ToolPolicy tool_policy(const Settings& settings);

}  // namespace gantry::chat_cortask
