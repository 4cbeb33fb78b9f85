// SPDX-License-Identifier: Apache-2.0
//
// The configuration, see plugin.yaml.
#pragma once

#include <gantry/approval_settings.hpp>
#include <gantry/contracts/turn.hpp>
#include <gantry/result.hpp>

#include <boost/describe/class.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gantry::chat_aide {

struct Settings {
  std::string listener = "aide";
  std::string host = "127.0.0.1";
  std::int32_t port = 8000;
  std::vector<std::string> allowed_hosts;
  std::vector<std::string> allowed_origins;
  std::string auth = "password";
  std::string public_url;
  std::int64_t session_lifetime = 2'592'000'000;  // milliseconds, as all durations here
  std::int32_t failures_per_minute = 10;
  std::vector<std::string> daemon_tools;
  ApprovalSettings approvals;
  std::int64_t confirmation_timeout = 300'000;
  std::int64_t linger = 30'000;
  std::int64_t waiting = std::int64_t{128} << 20;  // bytes
};
BOOST_DESCRIBE_STRUCT(Settings, (),
                      (listener, host, port, allowed_hosts, allowed_origins, auth, public_url,
                       session_lifetime, failures_per_minute, daemon_tools, approvals,
                       confirmation_timeout, linger, waiting))

Result<Settings> read_settings(std::string_view json);

/// What a run may use, and what the user is asked about.
[[nodiscard]] ToolPolicy tool_policy(const Settings& settings);

}  // namespace gantry::chat_aide
