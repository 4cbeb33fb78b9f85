// SPDX-License-Identifier: Apache-2.0
#pragma once
// The plugin's configuration, as plugin.yaml declares it.

#include <gantry/contracts/common.hpp>
#include <gantry/result.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace gantry::rest_observer {

struct Settings {
  std::string host = "127.0.0.1";
  int port = 5001;
  std::vector<std::string> cors_origins;
  std::vector<std::string> allowed_hosts;
  std::string bearer_token;
  bool web = true;                    ///< Whether `/` is the inspector.
  std::int64_t tool_timeout = 65000;  ///< ms
};
BOOST_DESCRIBE_STRUCT(Settings, (),
                      (host, port, cors_origins, allowed_hosts, bearer_token, web, tool_timeout))

[[nodiscard]] Result<Settings> read_settings(std::string_view json);

}  // namespace gantry::rest_observer
