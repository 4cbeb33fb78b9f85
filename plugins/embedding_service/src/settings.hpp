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

namespace gantry::embedding_service {

struct Settings {
  std::string listener = "embedding";
  std::string host = "127.0.0.1";
  std::int32_t port = 8766;
  std::vector<std::string> allowed_hosts;
  std::string api_key;  // never logged
  std::string provider_id = "embedding-service";
};
BOOST_DESCRIBE_STRUCT(Settings, (), (listener, host, port, allowed_hosts, api_key, provider_id))

/// The key comes without the spaces around it.
Result<Settings> read_settings(std::string_view json);

}  // namespace gantry::embedding_service
