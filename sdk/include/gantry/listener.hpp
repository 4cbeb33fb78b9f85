// SPDX-License-Identifier: Apache-2.0
//
// What protocol plugins do to be reached: open a listener, mount routes on it, serve WebSockets.
// Opening waits, so it belongs into a plugin's `start`: a daemon that says it is ready is reachable
// then, and a failure is the start's, which the kernel tries again.
#pragma once

#include <gantry/contracts/http.hpp>
#include <gantry/host.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gantry {

/// A listener as a plugin's settings (`host`, `port`, `allowed_hosts`) want it; `authenticated`:
/// whether every mount on it asks who comes.
template <class Settings>
ListenRequest listen_request(const Settings& settings, std::string listener, bool authenticated) {
  ListenRequest request;
  request.listener = std::move(listener);
  request.host = settings.host;
  request.port = static_cast<std::int32_t>(settings.port);
  request.authenticated = authenticated;
  request.allowed_hosts = settings.allowed_hosts;
  return request;
}

/// A failure to listen with what cures it, in the configuration of `plugin`.
inline Error listen_failure(Error error, std::string_view plugin) {
  error.message += "; free the address or change " + std::string(plugin) + ".host and port";
  return error;
}

/// Opens the listener and mounts the routes on it. Errors: those of HttpListen, with what cures
/// them in the configuration of `plugin`, and those of HttpMount.
inline Result<Ref<ListenerInfo>> open_listener(Host& host, ListenRequest request,
                                               MountRequest mounts, std::string_view plugin) {
  auto listener = host.bus().call_wait<HttpListen>(std::move(request));
  if (!listener.ok()) return listen_failure(listener.error(), plugin);
  GANTRY_TRY(host.bus().call_wait<HttpMount>(std::move(mounts)));
  return listener;
}

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
