// SPDX-License-Identifier: Apache-2.0
#pragma once
// The plugin's configuration, as plugin.yaml declares it. Durations are milliseconds.

#include <gantry/contracts/common.hpp>
#include <gantry/result.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gantry::mcp {

struct HttpSettings {
  bool enabled = true;
  std::string listener = "observer";
  std::string path = "/mcp";
  std::string host = "127.0.0.1";
  std::int64_t port = -1;  // -1: the listener is another plugin's
  std::string bearer_token;
  std::vector<std::string> allowed_hosts;
  std::vector<std::string> allowed_origins;
};
BOOST_DESCRIBE_STRUCT(HttpSettings, (),
                      (enabled, listener, path, host, port, bearer_token, allowed_hosts,
                       allowed_origins))

struct StdioSettings {
  bool enabled = false;
  std::int64_t max_message = 10 << 20;
  std::int64_t send_queue = 16 << 20;
};
BOOST_DESCRIBE_STRUCT(StdioSettings, (), (enabled, max_message, send_queue))

struct ServerSettings {
  std::string name = "gantry";
  std::string title = "Gantry";
  std::string instructions;
};
BOOST_DESCRIBE_STRUCT(ServerSettings, (), (name, title, instructions))

struct SessionSettings {
  std::int64_t max = 64;
  std::int64_t idle = 30 * 60 * 1000;
  std::int64_t replay_events = 256;
  std::int64_t replay_bytes = 4 << 20;
};
BOOST_DESCRIBE_STRUCT(SessionSettings, (), (max, idle, replay_events, replay_bytes))

struct AskSettings {
  std::int64_t timeout = 5 * 60 * 1000;
  std::int64_t max_parked = 64;
};
BOOST_DESCRIBE_STRUCT(AskSettings, (), (timeout, max_parked))

struct PictureSettings {
  std::int64_t max_edge = 1568;  // pixels
  std::int64_t max_bytes = 600'000;
};
BOOST_DESCRIBE_STRUCT(PictureSettings, (), (max_edge, max_bytes))

struct ResourceSettings {
  std::int64_t update_interval = 1000;
};
BOOST_DESCRIBE_STRUCT(ResourceSettings, (), (update_interval))

struct Settings {
  HttpSettings http;
  StdioSettings stdio;
  ServerSettings server;
  SessionSettings sessions;
  AskSettings asks;
  PictureSettings pictures;
  ResourceSettings resources;
  std::vector<std::string> tools;  // that are listed; "x*" is all that begin so; empty: all
  std::int64_t max_bytes = 900'000;
  std::int64_t max_tokens = 25'000;
  std::int64_t max_resource_bytes = 10 << 20;
  std::int64_t list_ttl = 300'000;
};
BOOST_DESCRIBE_STRUCT(Settings, (),
                      (http, stdio, server, sessions, asks, pictures, resources, tools, max_bytes,
                       max_tokens, max_resource_bytes, list_ttl))

[[nodiscard]] Result<Settings> read_settings(std::string_view json);

}  // namespace gantry::mcp
