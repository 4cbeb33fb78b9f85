// SPDX-License-Identifier: Apache-2.0
#pragma once
// The plugin's configuration, as plugin.yaml declares it. Durations are milliseconds.

#include <gantry/contracts/common.hpp>
#include <gantry/result.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace gantry::tools_mcp {

struct ServerSettings {
  bool enabled = true;
  // A program on standard input and output …
  std::string command;
  std::vector<std::string> args;
  std::string directory;
  std::vector<std::string> pass;           // variables of the daemon
  std::map<std::string, std::string> env;  // variables and values; secret
  // … or a server over HTTP.
  std::string url;
  std::map<std::string, std::string> headers;  // secret
  std::string ca_file;

  std::vector<std::string> allow{"*"};
  std::vector<std::string> deny;
  bool trust_annotations = false;
  std::int64_t start_timeout = 30'000;
  std::int64_t timeout = 120'000;
};
BOOST_DESCRIBE_STRUCT(ServerSettings, (),
                      (enabled, command, args, directory, pass, env, url, headers, ca_file, allow,
                       deny, trust_annotations, start_timeout, timeout))

struct LimitSettings {
  std::int64_t tools = 128;
  std::int64_t schema = 65'536;
  std::int64_t description = 4'000;
  std::int64_t message = 16 << 20;
  std::int64_t text = 262'144;
  std::int64_t pictures = 8;
};
BOOST_DESCRIBE_STRUCT(LimitSettings, (), (tools, schema, description, message, text, pictures))

struct Settings {
  std::vector<std::string> callers;
  std::map<std::string, ServerSettings> servers;
  LimitSettings limits;
  std::int64_t list_wait = 15'000;
  std::int64_t grace = 2'000;
};
BOOST_DESCRIBE_STRUCT(Settings, (), (callers, servers, limits, list_wait, grace))

/// Errors: invalid_argument (a server that is neither a program nor an address, or both).
[[nodiscard]] Result<Settings> read_settings(std::string_view json);

}  // namespace gantry::tools_mcp
