// SPDX-License-Identifier: Apache-2.0
//
// The configuration, see plugin.yaml. Durations are milliseconds.
#pragma once

#include <gantry/result.hpp>

#include <boost/describe/class.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace gantry::stt_proxy {

struct Settings {
  std::string url = "ws://127.0.0.1:5026";
  std::string token;
  std::int32_t sessions = 32;
  std::int64_t flush_limit = 5000;
  std::string ca_file;
};
BOOST_DESCRIBE_STRUCT(Settings, (), (url, token, sessions, flush_limit, ca_file))

Result<Settings> read_settings(std::string_view json);

}  // namespace gantry::stt_proxy
