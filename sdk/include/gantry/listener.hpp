// SPDX-License-Identifier: Apache-2.0
//
// What protocol plugins do to be reached: open a listener, mount routes on it, serve WebSockets.
// Opening waits, so it belongs into a plugin's `start`: a daemon that says it is ready is reachable
// then, and a failure is the start's, which the kernel tries again.
#pragma once

#include <gantry/contracts/http.hpp>
#include <gantry/host.hpp>

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gantry {

/// A listener as a plugin's settings (`host`, `port`, `allowed_hosts`, and `allowed_origins` or
/// `cors_origins` where they have them) want it; `authenticated`: whether every mount on it asks
/// who comes.
template <class Settings>
ListenRequest listen_request(const Settings& settings, std::string listener, bool authenticated) {
  ListenRequest request;
  request.listener = std::move(listener);
  request.host = settings.host;
  request.port = static_cast<std::int32_t>(settings.port);
  request.authenticated = authenticated;
  request.allowed_hosts = settings.allowed_hosts;
  if constexpr (requires { settings.allowed_origins; }) {
    request.allowed_origins = settings.allowed_origins;
  } else if constexpr (requires { settings.cors_origins; }) {
    request.allowed_origins = settings.cors_origins;
  }
  return request;
}

/// A failure to listen with what cures it, in the configuration of `plugin`.
inline Error listen_failure(Error error, std::string_view plugin) {
  error.message += "; free the address or change " + std::string(plugin) + ".host and port";
  return error;
}

/// Opens the listener and mounts the routes on it. Errors: those of HttpListen, with what cures
/// them in the plugin's configuration, and those of HttpMount.
inline Result<Ref<ListenerInfo>> open_listener(Host& host, ListenRequest request,
                                               MountRequest mounts) {
  auto listener = host.bus().call_wait<HttpListen>(std::move(request));
  if (!listener.ok()) return listen_failure(listener.error(), host.name());
  GANTRY_TRY(host.bus().call_wait<HttpMount>(std::move(mounts)));
  return listener;
}

/// Tells health and the log that clients reach `what` now.
inline void tell_reachable(Host& host, std::string_view what, std::string_view address) {
  host.healthy("listener");
  host.log().info(std::string(what) + " ready", {{"address", address}});
}

/// open_listener() and tell_reachable(): a plugin's start.
inline Result<void> become_reachable(Host& host, ListenRequest request, MountRequest mounts,
                                     std::string_view what) {
  GANTRY_ASSIGN(const auto listener, open_listener(host, std::move(request), std::move(mounts)));
  tell_reachable(host, what, listener->address);
  return {};
}

/// Mounts on a listener that another plugin opens, maybe later: asks each second until it is there.
/// Strand only.
class LateMount {
 public:
  explicit LateMount(Host& host) : host_(host) {}

  void begin(MountRequest mounts, std::string what) {
    mounts_ = std::move(mounts);
    what_ = std::move(what);
    ask();
  }
  void cancel() { retry_.cancel(); }

 private:
  static constexpr std::chrono::seconds kRetry{1};

  void ask() {
    host_.bus().call<HttpMount>(mounts_, [this](const Result<Ref<Done>>& mounted) {
      if (mounted.ok()) return tell_reachable(host_, what_, mounts_.listener);
      host_.degraded("listener", mounted.error().message,
                     "start the plugin that opens the listener, or set " + host_.name() + ".port");
      retry_ = host_.after(kRetry, [this] { ask(); });
    });
  }

  Host& host_;
  MountRequest mounts_;
  std::string what_;
  Timer retry_;
};

/// Serves the plugin's WebSockets: `accept(opening, down)` answers with the handlers of one. At
/// most `in_flight` messages of a client are on their way to them until they give credit.
template <class Accept>
Result<void> serve_websockets(Host& host, std::uint32_t in_flight, Accept accept) {
  StreamOptions options;
  options.receive_credit = in_flight;
  options.manual_credit = true;
  return host.bus().serve_stream<WsConnect>(
      [accept = std::move(accept)](const Ref<WsOpening>& opening, const CallInfo&,
                                   Stream<WsMessage> down) -> Result<StreamHandlers<WsMessage>> {
        return accept(*opening, std::move(down));
      },
      options);
}

/// A route that takes every method, so that refusals and OPTIONS have the protocol's own form.
inline HttpRoute route_of_every_method(std::string_view path) {
  HttpRoute route;
  route.path = path;
  route.id = path;
  route.methods = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"};
  return route;
}

/// One route for each path of a table whose rows of a path (`row.path`) follow each other;
/// `adjust(row, route)` sees the first of them.
template <class Table, class Adjust>
std::vector<HttpRoute> routes_by_path(const Table& table, Adjust adjust) {
  std::vector<HttpRoute> routes;
  std::string_view last;
  for (const auto& row : table) {
    if (row.path == last) continue;
    last = row.path;
    routes.push_back(route_of_every_method(row.path));
    adjust(row, routes.back());
  }
  return routes;
}

}  // namespace gantry
