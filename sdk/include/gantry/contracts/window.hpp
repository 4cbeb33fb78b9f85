// SPDX-License-Identifier: Apache-2.0
//
// Windows and monitors, as the window system reports them.
#pragma once

#include <gantry/contracts/common.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gantry {

/// One top-level window. `handle` is the adapter's own, opaque and stable while the window lives
/// (X11: the hexadecimal window id without 0x); `uid` adds the adapter's prefix ("x11:3a00007").
struct WindowInfo {
  std::string handle;
  std::string uid;  // ".2", ".3" … at its end: a later window that got the same handle
  std::string title;
  std::string process;  // executable name, or empty when unknown
  std::string app_id;   // X11: WM_CLASS class
  std::int64_t pid = 0;
  Rect bounds;  // client area, screen pixels, without the frame
  Rect frame;   // with the window manager's decoration; equals bounds when there is none
  bool focused = false;
  bool minimized = false;
  bool mapped = true;
  bool transient = false;  // menus, tool tips and other windows the window manager does not manage
  std::int32_t stacking = 0;       // 0 is the bottom-most
  std::int32_t monitor_index = 0;  // the monitor that holds most of it, -1: none does
  std::int32_t desktop = -1;       // -1: on all, or unknown
  // normal, dialog, utility, splash, dock, desktop, toolbar, menu, popup_menu, dropdown_menu,
  // tooltip, notification, combo, dnd
  std::string type = "normal";
};
BOOST_DESCRIBE_STRUCT(WindowInfo, (),
                      (handle, uid, title, process, app_id, pid, bounds, frame, focused, minimized,
                       mapped, transient, stacking, monitor_index, desktop, type))

struct ListWindowsRequest {
  bool include_transient = false;  // also menus and pop-ups
};
BOOST_DESCRIBE_STRUCT(ListWindowsRequest, (), (include_transient))

struct WindowList {
  std::vector<WindowInfo> windows;  // bottom to top
  std::string adapter;              // "X11Adapter"
  std::string platform;             // "Linux"
  bool is_mock = false;
  std::uint64_t serial = 0;  // changes whenever the list may have changed
};
BOOST_DESCRIBE_STRUCT(WindowList, (), (windows, adapter, platform, is_mock, serial))

struct ListWindows {
  static constexpr std::string_view kName = "gantry.window.list/1";
  static constexpr std::string_view kDoc = "Lists the visible top-level windows, bottom to top.";
  using Request = ListWindowsRequest;
  using Response = WindowList;
};

struct ActivateWindowRequest {
  std::string handle;
  std::int32_t timeout_ms = 1000;  // how long to wait for the window to become active
};
BOOST_DESCRIBE_STRUCT(ActivateWindowRequest, (), (handle, timeout_ms))

struct ActivateWindowResult {
  bool active = false;   // read back from the window system after the request
  std::string route;     // "_NET_ACTIVE_WINDOW", "XSetInputFocus", …
  std::string evidence;  // what was read back
};
BOOST_DESCRIBE_STRUCT(ActivateWindowResult, (), (active, route, evidence))

/// Errors: not_found (no such window), unavailable.
struct ActivateWindow {
  static constexpr std::string_view kName = "gantry.window.activate/1";
  static constexpr std::string_view kDoc = "Raises a window and gives it the input focus.";
  using Request = ActivateWindowRequest;
  using Response = ActivateWindowResult;
};

enum class WindowChange : std::uint8_t { Opened, Closed, Moved, Focused, Renamed, Stacked, Lost };
BOOST_DESCRIBE_ENUM(WindowChange, Opened, Closed, Moved, Focused, Renamed, Stacked, Lost)

/// Lost: the window system itself is gone; all handles are stale.
struct WindowChangedEvent {
  WindowChange change = WindowChange::Opened;
  std::string handle;
  std::uint64_t serial = 0;
};
BOOST_DESCRIBE_STRUCT(WindowChangedEvent, (), (change, handle, serial))

struct WindowChanged {
  static constexpr std::string_view kName = "gantry.window.changed/1";
  static constexpr std::string_view kDoc = "A window appeared, went, moved, or got the focus.";
  using Event = WindowChangedEvent;
};

struct MonitorInfo {
  std::int32_t index = 0;
  std::string name;
  bool primary = false;
  double scale = 1.0;
  Rect bounds;   // physical pixels
  Rect logical;  // bounds divided by scale
};
BOOST_DESCRIBE_STRUCT(MonitorInfo, (), (index, name, primary, scale, bounds, logical))

struct MonitorList {
  std::vector<MonitorInfo> monitors;  // the primary one first
};
BOOST_DESCRIBE_STRUCT(MonitorList, (), (monitors))

struct ListMonitors {
  static constexpr std::string_view kName = "gantry.monitor.list/1";
  static constexpr std::string_view kDoc = "Lists the monitors with their bounds and scale.";
  using Request = Nothing;
  using Response = MonitorList;
};

}  // namespace gantry
