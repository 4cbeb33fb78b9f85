// SPDX-License-Identifier: Apache-2.0
#pragma once
// The routes: path, methods, and what answers. A new tool route is one row in routes.cpp.

#include <span>
#include <string_view>
#include <vector>

#include "wire.hpp"

namespace gantry::rest_observer {

enum class Handling {
  Tool,       ///< The tool named in the row, with query or body as its arguments.
  NamedTool,  ///< The tool named in the path.
  Action,     ///< The tool that belongs to the body's "action".
  ToolNames,
  Health,
  Metrics,
  Page,
};

struct Route {
  std::string_view path;
  std::string_view methods;  ///< "GET" or "POST", or both with a space between.
  Handling handling;
  std::string_view tool;
  bool plain = false;  ///< Answers without envelope and step (observer contract 1.1).
  ErrorShape errors = ErrorShape::Object;
  std::string_view summary;
};

[[nodiscard]] std::span<const Route> all_routes();

/// "GET, HEAD, OPTIONS": what the Allow header says.
[[nodiscard]] std::string allowed_methods(const Route& route);
[[nodiscard]] bool allows(const Route& route, std::string_view method);

/// The HTML page that lists the routes.
[[nodiscard]] std::string routes_page(std::string_view version);

}  // namespace gantry::rest_observer
