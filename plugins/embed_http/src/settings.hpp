// SPDX-License-Identifier: Apache-2.0
//
// The configuration, see plugin.yaml.
#pragma once

#include <gantry/result.hpp>

#include <boost/describe/class.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace gantry::embed_http {

inline constexpr std::string_view kRemote = "remote-http";
inline constexpr std::string_view kOpenAi = "openai";

struct Settings {
  std::string protocol = "off";
  std::string base_url;
  std::string api_key;  // never logged
  std::string model = "text-embedding-3-small";
  std::int32_t dimensions = 0;
  std::int32_t batch = 128;
  std::int32_t max_concurrent = 32;
  std::int32_t max_queue = 256;
  std::int64_t queue_timeout = 5'000;     // milliseconds
  std::int64_t request_timeout = 30'000;  // milliseconds
  std::int32_t circuit_failures = 3;
  std::int64_t circuit_cooldown = 60'000;  // milliseconds
  std::string proxy;
  std::string ca_file;

  [[nodiscard]] bool is_openai() const { return protocol == kOpenAi; }
  /// What the provider is called.
  [[nodiscard]] std::string_view provider_id() const { return is_openai() ? kOpenAi : kRemote; }
};
BOOST_DESCRIBE_STRUCT(Settings, (),
                      (protocol, base_url, api_key, model, dimensions, batch, max_concurrent,
                       max_queue, queue_timeout, request_timeout, circuit_failures,
                       circuit_cooldown, proxy, ca_file))

/// Fills in address and key from the environment, which `variable` reads.
Result<Settings> read_settings(
    std::string_view json, const std::function<std::optional<std::string>(const char*)>& variable);

/// Errors: unavailable, with the cure, when it cannot work as it is configured.
Result<void> check(const Settings& settings);

}  // namespace gantry::embed_http
