// SPDX-License-Identifier: Apache-2.0
#pragma once
// The plugin's configuration, as plugin.yaml declares it. Durations are milliseconds.

#include <gantry/contracts/common.hpp>
#include <gantry/result.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gantry::web {

struct FetchSettings {
  std::vector<std::string> allow_networks;
  std::vector<std::string> schemes{"https", "http"};
  std::vector<std::int64_t> ports{80, 443};
  std::vector<std::string> deny_hosts;
  std::int64_t max_bytes = 5 << 20;
  std::int64_t max_picture = 4 << 20;
  std::int64_t max_text = 40'000;
  std::int64_t max_redirects = 5;
  std::int64_t parallel = 8;
  std::int64_t connect_timeout = 10'000;
  std::int64_t first_byte_timeout = 30'000;
  std::int64_t idle_timeout = 15'000;
  std::int64_t timeout = 60'000;
  std::string user_agent;
  std::string proxy;
  std::string ca_file;
};
BOOST_DESCRIBE_STRUCT(FetchSettings, (),
                      (allow_networks, schemes, ports, deny_hosts, max_bytes, max_picture, max_text,
                       max_redirects, parallel, connect_timeout, first_byte_timeout, idle_timeout,
                       timeout, user_agent, proxy, ca_file))

struct SearchSettings {
  std::string provider = "auto";
  std::string base_url;
  std::string api_key;
  std::int64_t max_results = 20;
  std::int64_t timeout = 20'000;
  std::string proxy;
  std::string ca_file;
};
BOOST_DESCRIBE_STRUCT(SearchSettings, (),
                      (provider, base_url, api_key, max_results, timeout, proxy, ca_file))

struct Settings {
  std::vector<std::string> callers;
  FetchSettings fetch;
  SearchSettings search;
};
BOOST_DESCRIBE_STRUCT(Settings, (), (callers, fetch, search))

/// Errors: invalid_argument (a network that is none).
[[nodiscard]] Result<Settings> read_settings(std::string_view json);

}  // namespace gantry::web
