// SPDX-License-Identifier: Apache-2.0
#pragma once
// The plugin's configuration, as plugin.yaml declares it. Durations are milliseconds.

#include <gantry/result.hpp>

#include <boost/describe/class.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gantry::transcription_ws {

struct Settings {
  std::string listener = "agent";
  std::string path = "/ws/transcription";
  std::string host = "127.0.0.1";
  std::int64_t port = 8765;  // -1: another plugin opens the listener
  std::vector<std::string> allowed_hosts;
  std::vector<std::string> allowed_origins;
  std::string token = "never";  // never, always
  std::string provider;
  std::string language = "en";
  std::int64_t silence = 500;
  std::int64_t pause_flush = 1000;
  std::int64_t final_timeout = 10'000;
  std::int64_t idle_release = 60'000;
  std::int64_t connections = 32;
};
BOOST_DESCRIBE_STRUCT(Settings, (),
                      (listener, path, host, port, allowed_hosts, allowed_origins, token, provider,
                       language, silence, pause_flush, final_timeout, idle_release, connections))

Result<Settings> read_settings(std::string_view json);

}  // namespace gantry::transcription_ws
