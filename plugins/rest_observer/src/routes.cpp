// SPDX-License-Identifier: Apache-2.0
#include "routes.hpp"

#include <fmt/format.h>

#include <array>

namespace gantry::rest_observer {
namespace {

constexpr bool kPlain = true;

constexpr std::array<Route, 14> kRoutes{{
    {"/", "GET", Handling::Page, {}, false, ErrorShape::Text, "This page"},
    {"/api/windows", "GET", Handling::Tool, "list_windows", false, ErrorShape::Object,
     "Top-level windows, the focused one first"},
    {"/api/structure", "GET", Handling::Tool, "get_window_structure", false, ErrorShape::Object,
     "Accessibility tree of a window: window_index, depth, scope, roles, max_nodes, …"},
    {"/api/description", "GET", Handling::Tool, "get_screen_description", false, ErrorShape::Object,
     "The window in words: window_index, max_tokens, focus_element"},
    {"/api/sketch", "GET", Handling::Tool, "get_screen_sketch", kPlain, ErrorShape::Text,
     "The window drawn as text: window_index, grid_width, grid_height, structured"},
    {"/api/screenshot", "GET", Handling::Tool, "get_screenshot", kPlain, ErrorShape::Text,
     "PNG of a window, or of the primary monitor without window_index"},
    {"/api/full_screenshot", "GET", Handling::Tool, "get_full_screenshot", kPlain, ErrorShape::Text,
     "PNG of the whole desktop"},
    {"/api/action",
     "POST",
     Handling::Action,
     {},
     false,
     ErrorShape::Action,
     "click_at, type, key or scroll"},
    {"/api/capabilities", "GET", Handling::Tool, "get_capabilities", false, ErrorShape::Object,
     "What works on this machine"},
    {"/api/monitors", "GET", Handling::Tool, "get_monitors", false, ErrorShape::Object,
     "Monitors with bounds and scale"},
    {"/api/tools", "GET", Handling::ToolNames, {}, false, ErrorShape::Object, "Names of the tools"},
    {"/api/tool/{name}",
     "GET POST",
     Handling::NamedTool,
     {},
     false,
     ErrorShape::Object,
     "Any tool by name; tools that act take POST only"},
    {"/api/healthz", "GET", Handling::Health, {}, false, ErrorShape::Text, "200 when ready"},
    {"/api/metrics",
     "GET",
     Handling::Metrics,
     {},
     false,
     ErrorShape::Text,
     "Counters as Prometheus text"},
}};

}  // namespace

std::span<const Route> all_routes() { return kRoutes; }

bool allows(const Route& route, std::string_view method) {
  const std::string_view wanted = method == "HEAD" ? std::string_view("GET") : method;
  return route.methods.find(wanted) != std::string_view::npos;
}

std::string allowed_methods(const Route& route) {
  std::string out;
  for (const std::string_view method : {"GET", "HEAD", "OPTIONS", "POST"}) {
    if (method != "OPTIONS" && !allows(route, method)) continue;
    if (!out.empty()) out += ", ";
    out += method;
  }
  return out;
}

std::string routes_page(std::string_view version) {
  std::string rows;
  for (const Route& route : kRoutes) {
    rows += fmt::format("<tr><td>{}</td><td><code>{}</code></td><td>{}</td></tr>\n", route.methods,
                        route.path, route.summary);
  }
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\">"
      "<meta name=\"viewport\" content=\"width=device-width\"><title>Gantry screen "
      "observer</title>\n"
      "<style>body{{font:16px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:60rem;padding:0 "
      "1rem}}"
      "td{{padding:.2rem 1rem .2rem 0;vertical-align:top}}</style></head>\n"
      "<body><h1>Gantry screen observer</h1>\n<p>Version {}. Routes of this server:</p>\n"
      "<table>\n{}</table>\n</body>\n</html>\n",
      version, rows);
}

}  // namespace gantry::rest_observer
