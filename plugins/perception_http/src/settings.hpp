// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gantry/result.hpp>

#include <boost/describe/class.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gantry::perception_http {

struct Settings {
  std::string listener = "agent";
  std::string host = "127.0.0.1";
  std::int32_t port = 8765;
  std::vector<std::string> allowed_hosts;
  std::vector<std::string> cors_origins = {"http://localhost:5173"};
  std::vector<std::string> languages;
};
BOOST_DESCRIBE_STRUCT(Settings, (), (listener, host, port, allowed_hosts, cors_origins, languages))

Result<Settings> read_settings(std::string_view json);

}  // namespace gantry::perception_http
