// SPDX-License-Identifier: Apache-2.0
#pragma once
// The routes: path, methods, and what answers. A new tool route is one row in routes.cpp. Rows of
// one path stand together and differ in their methods.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "wire.hpp"

namespace gantry::rest_observer {

enum class Handling {
  Tool,       ///< The tool named in the row, with query or body, and the path, as its arguments.
  NamedTool,  ///< The tool named in the path.
  Action,     ///< The tool that belongs to the body's "action".
  Hover,      ///< hover_at when the body has a point and no element, else the row's tool.
  ActingGet,  ///< A tool that acts although it is asked by GET: never for a page's link or image.
  ToolNames,
  OpenApi,
  Health,
  Metrics,
  Page,   ///< The inspector's page, or the list of routes where it is off.
  Asset,  ///< A file of that page, named in the path.
};

struct Route {
  std::string_view path;     ///< Names in braces become arguments of the tool.
  std::string_view methods;  ///< Of GET, POST and DELETE, with spaces between.
  Handling handling;
  std::string_view tool;
  bool plain = false;  ///< Answers without envelope and step (observer contract 1.1).
  ErrorShape errors = ErrorShape::Object;
  std::string_view summary;
  bool lenient = false;  ///< A body that is no JSON counts as none (observer contract 1.1).
};

[[nodiscard]] std::span<const Route> all_routes();

/// The row of a path that takes the method; HEAD is taken by GET rows unless they act.
[[nodiscard]] const Route* find_route(std::string_view path, std::string_view method);
[[nodiscard]] bool has_path(std::string_view path);

/// Whether a browser may ask for it before it has a token: the page that asks for one, and its
/// files. Nothing in them is secret.
[[nodiscard]] bool needs_no_token(const Route& route);

/// "GET, HEAD, OPTIONS": what the Allow header of a path says.
[[nodiscard]] std::string allowed_methods(std::string_view path);

/// The HTML page that lists the routes.
[[nodiscard]] std::string routes_page(std::string_view version);

}  // namespace gantry::rest_observer
