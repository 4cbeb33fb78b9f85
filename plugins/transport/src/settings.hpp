// SPDX-License-Identifier: Apache-2.0
#pragma once

// The plugin's configuration as it comes from the host; keys as in plugin.yaml.

#include <gantry/result.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "listener.hpp"

namespace gantry {
struct ListenRequest;
}

namespace gantry::transport {

struct ListenerSettings {
  std::string address;
  std::string token;
  std::string tls_certificate;
  std::string tls_key;
  std::vector<std::string> allowed_hosts;
  std::vector<std::string> allowed_origins;
  bool loopback_origins = true;
};

/// Where the mounts of a plugin are put: before every path, and for requests to this host only.
struct PlaceSettings {
  std::string prefix;
  std::string host;
};

/// A folder that is served as files.
struct StaticSettings {
  std::string listener;
  std::string prefix;
  std::string folder;
  std::string index;
  std::int64_t max_size = 0;
};

struct Settings {
  size_t loops = 0;
  Limits limits;
  std::size_t arriving_bytes = 256 * 1024 * 1024;
  std::size_t leaving_bytes = 64 * 1024 * 1024;
  DeflatePolicy deflate;
  int64_t request_timeout_ms = 300'000;
  int64_t stop_grace_ms = 2'000;
  std::map<std::string, ListenerSettings> listeners;
  std::map<std::string, PlaceSettings> mounts;  ///< by the plugin's name
  std::vector<StaticSettings> folders;          ///< the key `static`
};

/// Errors: invalid_argument for a folder or prefix that is no absolute path, and for a mount's
/// prefix that ends in a slash.
Result<Settings> parse_settings(std::string_view json);

/// What to open when a plugin asks for a listener: its wishes, overruled by the configuration.
ListenerOptions listener_options(const Settings& settings, const ListenRequest& wanted);

}  // namespace gantry::transport
