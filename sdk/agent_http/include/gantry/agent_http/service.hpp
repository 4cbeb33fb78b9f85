// SPDX-License-Identifier: Apache-2.0
//
// The way of a request: preflight, install token, route, JSON, the route's guard, model of the
// body, and then what the route does. In this order, because clients see which refusal comes
// first. Strand only.
#pragma once

#include <gantry/agent_http/exchange.hpp>
#include <gantry/host.hpp>
#include <gantry/listener.hpp>

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gantry::agent_http {

/// What a plugin answers, and for whom.
struct HttpService {
  std::span<const Route> routes;
  const std::vector<std::string>* cors_origins;  // outlives the service
  std::function<bool(std::string_view path)> needs_token;
};

using MakeExchange = std::function<std::shared_ptr<Exchange>(
    const Ref<HttpRequest>& request, std::function<void(HttpResponse)> reply)>;

/// Serves gantry.http.handle/1 by the service's routes. `service` outlives the plugin's serving.
Result<void> serve_routes(Host& host, const HttpService& service, MakeExchange make);

/// The mount of a table of routes, with refusals of the listener in the protocol's words.
/// `adjust(row, route)` sees the first row of each path, and may bound its bodies otherwise.
template <class Adjust>
MountRequest mount_of(const std::string& listener, std::span<const Route> routes, Adjust adjust) {
  MountRequest mount;
  mount.listener = listener;
  mount.error_template = R"({"detail":{message}})";
  mount.own_authentication = true;
  mount.routes = routes_by_path(routes, adjust);
  return mount;
}

}  // namespace gantry::agent_http
