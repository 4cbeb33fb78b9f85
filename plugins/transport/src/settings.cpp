// SPDX-License-Identifier: Apache-2.0
#include "settings.hpp"

#include <gantry/codec.hpp>
#include <gantry/contracts/http.hpp>

#include "bus_convert.hpp"

namespace gantry::transport {
namespace {

/// Sizes in bytes, times in milliseconds: what the host makes of the units in the file.
struct Raw {
  std::int64_t loops = 0;
  std::map<std::string, ListenerSettings> listeners;
  std::map<std::string, PlaceSettings> mounts;
  std::int64_t head_size = 0;
  std::int64_t head_timeout = 0;
  std::int64_t target_size = 0;
  std::int64_t header_count = 0;
  std::int64_t body_size = 0;
  std::int64_t body_timeout = 0;
  std::int64_t body_min_rate = 1;
  std::int64_t drain_size = 0;
  std::int64_t message_size = 0;
  std::int64_t arriving = 0;
  std::int64_t leaving = 0;
  std::int64_t idle_timeout = 0;
  std::int64_t request_timeout = 0;
  std::int64_t ping_interval = 0;
  std::int64_t pong_timeout = 0;
  std::int64_t close_timeout = 0;
  std::int64_t linger_timeout = 0;
  std::int64_t tls_handshake_timeout = 0;
  std::int64_t receive_credit = 0;
  std::int64_t send_queue = 0;
  std::int64_t send_timeout = 0;
  std::int64_t connections = 0;
  std::int64_t connections_per_address = 0;
  std::int64_t connections_loopback = 0;
  bool compression = true;
  bool compression_context = false;
  std::int64_t stop_grace = 0;
};
BOOST_DESCRIBE_STRUCT(Raw, (),
                      (loops, listeners, mounts, head_size, head_timeout, target_size, header_count,
                       body_size, body_timeout, body_min_rate, drain_size, message_size, arriving,
                       leaving, idle_timeout, request_timeout, ping_interval, pong_timeout,
                       close_timeout, linger_timeout, tls_handshake_timeout, receive_credit,
                       send_queue, send_timeout, connections, connections_per_address,
                       connections_loopback, compression, compression_context, stop_grace))

/// Its name in the file is a keyword here, so it is read by itself.
constexpr const char* kStatic = "static";

size_t bytes(std::int64_t value) { return static_cast<size_t>(value); }

}  // namespace

BOOST_DESCRIBE_STRUCT(ListenerSettings, (),
                      (address, token, tls_certificate, tls_key, allowed_hosts, allowed_origins,
                       loopback_origins))
BOOST_DESCRIBE_STRUCT(PlaceSettings, (), (prefix, host))
BOOST_DESCRIBE_STRUCT(StaticSettings, (), (listener, prefix, folder, index, max_size))
BOOST_DESCRIBE_STRUCT(CloseDetail, (), (close_code, reason))

namespace {

Result<std::vector<StaticSettings>> parse_folders(std::string_view json) {
  GANTRY_ASSIGN(auto all, (from_json<std::map<std::string, Json>>(json)));
  const auto found = all.find(kStatic);
  if (found == all.end()) return std::vector<StaticSettings>{};
  GANTRY_ASSIGN(auto folders, from_json<std::vector<StaticSettings>>(found->second.text));
  for (std::size_t i = 0; i < folders.size(); ++i) {
    const std::string path = std::string(kStatic) + '[' + std::to_string(i) + "].";
    const StaticSettings& one = folders[i];
    if (one.folder.empty() || one.folder.front() != '/') {
      return invalid_argument(path + "folder: found '" + one.folder +
                              "', allowed: an absolute path");
    }
    if (one.prefix.empty() || one.prefix.front() != '/') {
      return invalid_argument(path + "prefix: found '" + one.prefix +
                              "', allowed: a path that begins with a slash");
    }
  }
  return folders;
}

Result<void> check_prefixes(const std::map<std::string, PlaceSettings>& mounts) {
  for (const auto& [plugin, place] : mounts) {
    const std::string& prefix = place.prefix;
    if (prefix.empty() || (prefix.front() == '/' && prefix.back() != '/')) continue;
    return invalid_argument("mounts." + plugin + ".prefix: found '" + prefix +
                            "', allowed: a path that begins with a slash and ends without one");
  }
  return {};
}

}  // namespace

Result<Settings> parse_settings(std::string_view json) {
  GANTRY_ASSIGN(Raw raw, from_json<Raw>(json));
  Settings settings;
  settings.loops = bytes(raw.loops);
  settings.listeners = std::move(raw.listeners);
  settings.mounts = std::move(raw.mounts);
  GANTRY_TRY(check_prefixes(settings.mounts));
  GANTRY_ASSIGN(settings.folders, parse_folders(json));
  Limits& limits = settings.limits;
  limits.head_bytes = bytes(raw.head_size);
  limits.head_timeout_ms = raw.head_timeout;
  limits.target_bytes = bytes(raw.target_size);
  limits.header_count = bytes(raw.header_count);
  limits.body_bytes = bytes(raw.body_size);
  limits.body_timeout_ms = raw.body_timeout;
  limits.body_min_rate = bytes(raw.body_min_rate);
  limits.drain_bytes = bytes(raw.drain_size);
  limits.message_bytes = bytes(raw.message_size);
  settings.arriving_bytes = bytes(raw.arriving);
  settings.leaving_bytes = bytes(raw.leaving);
  limits.idle_timeout_ms = raw.idle_timeout;
  limits.ws_ping_interval_ms = raw.ping_interval;
  limits.ws_pong_timeout_ms = raw.pong_timeout;
  limits.ws_close_timeout_ms = raw.close_timeout;
  limits.linger_timeout_ms = raw.linger_timeout;
  limits.tls_handshake_timeout_ms = raw.tls_handshake_timeout;
  limits.receive_credit = static_cast<std::uint32_t>(raw.receive_credit);
  limits.send_queue_bytes = bytes(raw.send_queue);
  limits.send_timeout_ms = raw.send_timeout;
  limits.connections = bytes(raw.connections);
  limits.connections_per_address = bytes(raw.connections_per_address);
  limits.connections_loopback = bytes(raw.connections_loopback);
  settings.deflate.enabled = raw.compression;
  settings.deflate.context_takeover = raw.compression_context;
  settings.request_timeout_ms = raw.request_timeout;
  settings.stop_grace_ms = raw.stop_grace;
  return settings;
}

ListenerOptions listener_options(const Settings& settings, const ListenRequest& wanted) {
  ListenerOptions options;
  options.name = wanted.listener;
  options.limits = settings.limits;
  options.deflate = settings.deflate;
  options.authenticated = wanted.authenticated;
  options.token = wanted.bearer_token;
  options.access.allowed_hosts = wanted.allowed_hosts;
  options.access.allowed_origins = wanted.allowed_origins;
  const bool bare_ipv6 = wanted.host.find(':') != std::string::npos && wanted.host.front() != '[';
  options.address =
      !wanted.unix_path.empty()
          ? "unix:" + wanted.unix_path
          : (bare_ipv6 ? "[" + wanted.host + "]" : wanted.host) + ":" + std::to_string(wanted.port);
  const auto found = settings.listeners.find(wanted.listener);
  if (found == settings.listeners.end()) return options;
  const ListenerSettings& own = found->second;
  if (!own.address.empty()) options.address = own.address;
  if (!own.token.empty()) options.token = own.token;
  if (!own.tls_certificate.empty()) options.tls = TlsFiles{own.tls_certificate, own.tls_key};
  auto& access = options.access;
  access.allowed_hosts.insert(access.allowed_hosts.end(), own.allowed_hosts.begin(),
                              own.allowed_hosts.end());
  access.allowed_origins.insert(access.allowed_origins.end(), own.allowed_origins.begin(),
                                own.allowed_origins.end());
  access.allow_loopback_origins = own.loopback_origins;
  return options;
}

std::string write_close_detail(std::uint16_t code, std::string_view reason) {
  return to_json(CloseDetail{code, std::string(reason)});
}

std::optional<CloseDetail> read_close_detail(const std::string& json) {
  if (json.empty()) return std::nullopt;
  auto detail = from_json<CloseDetail>(json);
  if (!detail.ok() || detail->close_code == 0) return std::nullopt;
  return std::move(*detail);
}

}  // namespace gantry::transport
