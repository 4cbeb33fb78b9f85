// SPDX-License-Identifier: Apache-2.0
#include "routes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace gantry::rest_observer {
namespace {

constexpr bool kPlain = true;
constexpr bool kLenient = true;
constexpr auto kText = ErrorShape::Text;

/// A route of the second version: envelope, error object.
constexpr Route tool(std::string_view path, std::string_view methods, std::string_view name,
                     std::string_view summary, bool lenient = false) {
  return {path, methods, Handling::Tool, name, false, ErrorShape::Object, summary, lenient};
}

/// A route of the first version: bare members, errors as text.
constexpr Route plain(std::string_view path, std::string_view name, std::string_view summary) {
  return {path, "GET", Handling::Tool, name, kPlain, kText, summary};
}

/// A route that no tool answers.
constexpr Route own(std::string_view path, Handling handling, std::string_view summary) {
  return {path, "GET", handling, {}, false, kText, summary};
}

constexpr Route kRoutes[] = {
    own("/", Handling::Page, "The inspector, a page for people; this list where it is off"),
    own("/web/{file}", Handling::Asset, "Files of the inspector"),
    own("/openapi.json", Handling::OpenApi, "Every route as OpenAPI 3.1"),

    // The first version.
    tool("/api/windows", "GET", "list_windows", "Top-level windows, the focused one first"),
    tool("/api/structure", "GET", "get_window_structure", "Accessibility tree of a window"),
    tool("/api/description", "GET", "get_screen_description", "The window in words"),
    plain("/api/sketch", "get_screen_sketch", "The window drawn as text"),
    plain("/api/screenshot", "get_screenshot",
          "PNG of a window, or of the primary monitor without one"),
    plain("/api/full_screenshot", "get_full_screenshot", "PNG of the whole desktop"),
    {"/api/action",
     "POST",
     Handling::Action,
     {},
     false,
     ErrorShape::Action,
     "click_at, type, key or scroll"},

    // What there is.
    tool("/api/capabilities", "GET", "get_capabilities", "What works on this machine"),
    tool("/api/monitors", "GET", "get_monitors", "Monitors with bounds and scale"),
    own("/api/tools", Handling::ToolNames, "Names of the tools"),
    {"/api/tool/{name}",
     "GET POST",
     Handling::NamedTool,
     {},
     false,
     ErrorShape::Object,
     "Any tool by name; tools that act take POST only",
     kLenient},

    // Finding and looking.
    tool("/api/find_element", "GET", "find_element", "Elements that a selector matches"),
    tool("/api/observe", "GET", "observe_window", "The tree, or what changed since a token"),
    tool("/api/screenshot/cropped", "GET", "get_screenshot_cropped",
         "PNG of an element or of a part of a window"),
    plain("/api/visible_areas", "get_visible_areas", "Parts of a window that nothing covers"),
    tool("/api/ocr", "GET", "get_ocr", "Words recognised in a window's pixels"),
    {"/api/bring_to_foreground", "GET", Handling::ActingGet, "bring_to_foreground", false,
     ErrorShape::Action, "Raises a window; not for pages of other origins"},

    // Acting on elements.
    tool("/api/element/click", "POST", "click_element", "Clicks an element"),
    tool("/api/element/focus", "POST", "focus_element", "Gives an element the keyboard focus"),
    tool("/api/element/invoke", "POST", "invoke_element", "Does what an element is for"),
    tool("/api/element/set_value", "POST", "set_value", "Sets an element's value"),
    tool("/api/element/select", "POST", "select_option", "Selects an option of an element"),
    tool("/api/element/right_click", "POST", "right_click_element", "Right-clicks an element"),
    tool("/api/element/double_click", "POST", "double_click_element", "Double-clicks an element"),
    tool("/api/element/key", "POST", "key_into_element", "Presses keys in an element"),
    tool("/api/element/clear_text", "POST", "clear_text", "Empties a text element"),
    {"/api/hover", "POST", Handling::Hover, "hover_element", false, ErrorShape::Object,
     "Moves the pointer to a point or an element"},
    tool("/api/drag", "POST", "drag", "Drags from a point or an element to another"),
    tool("/api/element/click_and_observe", "POST", "click_element_and_observe",
         "Clicks an element, then observes"),
    tool("/api/type_and_observe", "POST", "type_and_observe", "Types, then observes"),
    tool("/api/key_and_observe", "POST", "press_key_and_observe", "Presses keys, then observes"),

    // Waiting and checking.
    tool("/api/wait_for", "POST", "wait_for", "Waits for the first of some conditions"),
    tool("/api/wait_idle", "POST", "wait_idle", "Waits until a window has come to rest"),
    tool("/api/assert_state", "POST", "assert_state", "Checks predicates about the desktop"),

    // Snapshots.
    tool("/api/snapshot", "POST", "snapshot", "Keeps the trees of all windows for a while",
         kLenient),
    tool("/api/snapshot/diff", "POST", "snapshot_diff", "What differs between two snapshots"),
    tool("/api/snapshot/{snapshot_id}", "GET", "snapshot_get", "A snapshot"),
    tool("/api/snapshot/{snapshot_id}", "DELETE", "snapshot_drop", "Forgets a snapshot"),

    // Traces, replays, scenarios.
    tool("/api/trace/start", "POST", "trace_start", "Begins to record every call", kLenient),
    tool("/api/trace/stop", "POST", "trace_stop", "Ends the recording"),
    tool("/api/trace/status", "GET", "trace_status", "The running recording"),
    tool("/api/replay/start", "POST", "replay_start", "Opens a recording to repeat it"),
    tool("/api/replay/step", "POST", "replay_step", "Repeats the next call of a recording"),
    tool("/api/replay/status", "POST", "replay_status", "How far a replay has come"),
    tool("/api/replay/stop", "POST", "replay_stop", "Ends a replay"),
    tool("/api/scenario/load", "POST", "load_scenario", "Loads a made-up desktop"),

    // Guards.
    tool("/api/budget_status", "GET", "get_budget_status", "What is left of the budgets"),
    tool("/api/redaction_status", "GET", "get_redaction_status", "What is hidden"),
    tool("/api/propose_action", "POST", "propose_action", "A token for an action that needs one"),

    own("/api/healthz", Handling::Health, "200 when ready"),
    own("/api/metrics", Handling::Metrics, "Counters as Prometheus text"),
};

bool takes(const Route& route, std::string_view method) {
  if (method == "HEAD") {
    // Asking for headers must not raise a window.
    return route.handling != Handling::ActingGet && takes(route, "GET");
  }
  return route.methods.find(method) != std::string_view::npos;
}

}  // namespace

std::span<const Route> all_routes() { return kRoutes; }

const Route* find_route(std::string_view path, std::string_view method) {
  const auto* const found =
      std::find_if(std::begin(kRoutes), std::end(kRoutes),
                   [&](const Route& route) { return route.path == path && takes(route, method); });
  return found != std::end(kRoutes) ? found : nullptr;
}

bool has_path(std::string_view path) {
  return std::any_of(std::begin(kRoutes), std::end(kRoutes),
                     [&](const Route& route) { return route.path == path; });
}

bool needs_no_token(const Route& route) {
  return route.handling == Handling::Page || route.handling == Handling::Asset;
}

std::string allowed_methods(std::string_view path) {
  std::string out;
  for (const std::string_view method : {"DELETE", "GET", "HEAD", "OPTIONS", "POST"}) {
    if (method != "OPTIONS" && find_route(path, method) == nullptr) continue;
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
      "observer</title></head>\n"
      "<body><h1>Gantry screen observer</h1>\n<p>Version {}. Routes of this server:</p>\n"
      "<table>\n{}</table>\n<p>Their parameters are in <a "
      "href=\"/openapi.json\">openapi.json</a>.</p>\n</body>\n</html>\n",
      version, rows);
}

}  // namespace gantry::rest_observer
