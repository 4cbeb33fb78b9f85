// SPDX-License-Identifier: Apache-2.0
#include "geometry.hpp"
#include "node_json.hpp"
#include "tools.hpp"
#include "window_json.hpp"

namespace gantry::observation {
namespace {

const MonitorInfo* monitor_of(const MonitorList& monitors, std::int32_t index) {
  for (const MonitorInfo& monitor : monitors.monitors) {
    if (monitor.index == index) return &monitor;
  }
  return nullptr;
}

Rect divided(const Rect& rect, double scale) {
  const auto part = [scale](std::int32_t value) {
    return static_cast<std::int32_t>(value / scale);
  };
  return {part(rect.x), part(rect.y), part(rect.width), part(rect.height)};
}

Task<ToolOutcome> list_windows(Engine& engine, const ToolCall&) {
  const Outcome<WindowsNow> now = co_await engine.directory.list();
  if (!now.ok()) co_return now.failure();
  const Answer<MonitorList> monitors = co_await engine.directory.monitors();
  const MonitorList none;
  JsonArray windows;
  for (std::size_t i = 0; i < now->windows.size(); ++i) {
    windows.add(window_json(now->windows[i], i, monitors.ok() ? **monitors : none));
  }
  JsonObject out;
  out.add("is_mock", now->is_mock);
  out.add("count", now->windows.size());
  out.add("windows", windows.done());
  co_return out;
}

Task<ToolOutcome> get_monitors(Engine& engine, const ToolCall&) {
  const Answer<MonitorList> answer = co_await engine.directory.monitors();
  JsonObject out;
  JsonArray monitors;
  if (answer.ok()) {
    for (const MonitorInfo& monitor : (*answer)->monitors) {
      JsonObject entry;
      entry.add("index", monitor.index);
      entry.add("primary", monitor.primary);
      entry.add("bounds", rect_json(monitor.bounds));
      entry.add("scale_factor", monitor.scale);
      entry.add("logical_bounds", rect_json(monitor.logical));
      entry.add("physical_bounds", rect_json(monitor.bounds));
      entry.add_if("name", monitor.name);
      monitors.add(entry);
    }
  } else {
    out.add("warning", answer.error().message);
  }
  out.add("monitors", monitors.done());
  co_return out;
}

constexpr Tool kWindowTools[] = {
    {"get_monitors",
     get_monitors,
     ToolKind::About,
     false,
     "Lists the monitors with their bounds and scale.",
     {}},
    {"list_windows",
     list_windows,
     ToolKind::About,
     true,
     "Lists the visible top-level windows, the focused one first. Call it before anything else.",
     {}},
};

}  // namespace

JsonObject window_json(const WindowInfo& window, std::optional<std::size_t> index,
                       const MonitorList& monitors) {
  JsonObject out;
  out.add_if("index", index);
  out.add("handle", window.handle);
  out.add("title", window.title);
  out.add("process", window.process);
  out.add("pid", window.pid);
  out.add("bounds", rect_json(window.bounds));
  out.add("focused", window.focused);
  out.add("window_uid", window.uid);
  if (window.minimized || !window.mapped) out.add("minimized", true);
  if (const MonitorInfo* monitor = monitor_of(monitors, window.monitor_index)) {
    out.add("monitor_index", monitor->index);
    out.add("scale_factor", monitor->scale);
    out.add("physical_bounds", rect_json(window.bounds));
    out.add("logical_bounds", rect_json(divided(window.bounds, monitor->scale)));
  }
  return out;
}

std::span<const Tool> window_tools() { return kWindowTools; }

}  // namespace gantry::observation
