// SPDX-License-Identifier: Apache-2.0
//
// The configuration, see plugin.yaml.
#pragma once

#include <gantry/result.hpp>

#include <boost/describe/class.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gantry::agent_http {

struct RunsSettings {
  std::string api_key;
  std::string control_api_key;
  bool require_install_token = true;
};
BOOST_DESCRIBE_STRUCT(RunsSettings, (), (api_key, control_api_key, require_install_token))

struct Settings {
  std::string listener = "agent";
  std::string host = "127.0.0.1";
  std::int32_t port = 8765;
  std::vector<std::string> cors_origins = {"http://localhost:5173"};
  std::vector<std::string> allowed_hosts;
  std::vector<std::string> workspace_roots;
  RunsSettings runs;
};
BOOST_DESCRIBE_STRUCT(Settings, (),
                      (listener, host, port, cors_origins, allowed_hosts, workspace_roots, runs))

/// The keys come without the spaces around them.
Result<Settings> read_settings(std::string_view json);

}  // namespace gantry::agent_http
