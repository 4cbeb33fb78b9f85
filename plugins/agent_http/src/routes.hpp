// SPDX-License-Identifier: Apache-2.0
//
// The routes: method, path, which key they want, the model of their body, and what answers. A new
// route is one row in routes.cpp.
#pragma once

#include <gantry/contracts/http.hpp>

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "body_model.hpp"

namespace gantry::agent_http {

class Exchange;

/// What a route asks for besides the install token.
enum class KeyKind : std::uint8_t {
  None,
  Runs,     // x-windie-runs-key
  StopAll,  // x-windie-runs-control-key once one is configured, else the runs key
};

struct Route {
  std::string_view method;
  std::string_view path;  // {name} stands for one segment
  KeyKind key;
  const Model* body;  // nullptr: the body is not JSON, or there is none
  void (*answer)(Exchange& exchange);
};

std::span<const Route> all_routes();

/// What a path leads to.
struct Found {
  const Route* route = nullptr;
  std::map<std::string, std::string, std::less<>> parameters;
  std::string allow;        // methods, when the path has other ones only
  std::string redirect_to;  // the path with or without its last slash, when that one exists
};
Found find_route(std::string_view method, std::string_view path);

}  // namespace gantry::agent_http
