// SPDX-License-Identifier: Apache-2.0
//
// Routes as a table: method, path, what they ask for besides the install token, the model of their
// body, and what answers. Any thread.
#pragma once

#include <gantry/agent_http/body_model.hpp>
#include <gantry/contracts/http.hpp>

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace gantry::agent_http {

class Exchange;

/// What a route asks for besides the install token: the refusal, or nothing.
using RouteGuard = std::optional<HttpResponse> (*)(const Exchange& exchange);

struct Route {
  std::string_view method;
  std::string_view path;  // {name} stands for one segment
  RouteGuard guard;       // nullptr: nothing
  const Model* body;      // nullptr: the body is not JSON, or there is none
  void (*answer)(Exchange& exchange);
};

/// What a path leads to.
struct Found {
  const Route* route = nullptr;
  std::map<std::string, std::string, std::less<>> parameters;
  std::string allow;        // methods, when the path has other ones only
  std::string redirect_to;  // the path with or without its last slash, when that one exists
};
Found find_route(std::span<const Route> routes, std::string_view method, std::string_view path);

}  // namespace gantry::agent_http
