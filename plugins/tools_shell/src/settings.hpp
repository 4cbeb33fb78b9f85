// SPDX-License-Identifier: Apache-2.0
#pragma once
// The configuration, see plugin.yaml.

#include <gantry/result.hpp>

#include <boost/describe/class.hpp>
#include <boost/describe/enum.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace gantry::shell {

BOOST_DEFINE_ENUM_CLASS(Sandbox, bubblewrap, none)

struct EnvironmentSettings {
  std::vector<std::string> pass;
  std::map<std::string, std::string> set;
};
BOOST_DESCRIBE_STRUCT(EnvironmentSettings, (), (pass, set))

/// Times in milliseconds, sizes in bytes.
struct LimitSettings {
  std::int64_t running = 32;
  std::int64_t background = 8;
  std::int64_t output = 262'144;
  std::int64_t timeout = 120'000;
  std::int64_t max_timeout = 900'000;
  std::int64_t background_timeout = 3'600'000;
  std::int64_t grace = 2000;
  std::int64_t temporary = 268'435'456;
};
BOOST_DESCRIBE_STRUCT(LimitSettings, (),
                      (running, background, output, timeout, max_timeout, background_timeout, grace,
                       temporary))

struct Settings {
  std::vector<std::string> callers{"agent_engine"};
  Sandbox sandbox = Sandbox::bubblewrap;
  std::string bubblewrap = "/usr/bin/bwrap";
  std::string shell = "/bin/bash";
  std::string workspace;
  std::vector<std::string> workspaces;
  std::vector<std::string> read_only;
  std::vector<std::string> writable;
  std::vector<std::string> hidden;
  bool network = false;
  EnvironmentSettings environment;
  LimitSettings limits;
};
BOOST_DESCRIBE_STRUCT(Settings, (),
                      (callers, sandbox, bubblewrap, shell, workspace, workspaces, read_only,
                       writable, hidden, network, environment, limits))

/// InvalidArgument also for variables that commands must not see.
Result<Settings> read_settings(std::string_view json);

}  // namespace gantry::shell
