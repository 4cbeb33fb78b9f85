// SPDX-License-Identifier: Apache-2.0
#pragma once
// The plugin's configuration, as plugin.yaml declares it. Durations are milliseconds.

#include <boost/describe/class.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace gantry::channel_webhook {

struct Settings {
  std::string listener = "webhook";
  std::string host = "127.0.0.1";
  std::int64_t port = 3790;
  std::vector<std::string> allowed_hosts;
  std::string secret;  // secret
  std::string url;
  std::string workspace;
  std::string workspace_path;
  std::vector<std::string> daemon_tools;
  std::string model;
  std::int64_t clock_skew = 300'000;
  std::int64_t answer_timeout = 30'000;
};
BOOST_DESCRIBE_STRUCT(Settings, (),
                      (listener, host, port, allowed_hosts, secret, url, workspace, workspace_path,
                       daemon_tools, model, clock_skew, answer_timeout))

}  // namespace gantry::channel_webhook
