// SPDX-License-Identifier: Apache-2.0
//
// The windows of the desktop as EWMH and ICCCM describe them, read with pipelined requests: three
// waits for the whole list, however many windows there are.
#pragma once

#include "monitors.hpp"
#include "property.hpp"
#include "session.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace gantry::x11 {

struct Window {
  xcb_window_t id = XCB_NONE;
  std::string title;      // UTF-8, complete
  std::string app_class;  // WM_CLASS, second part: "Mousepad"
  std::uint32_t pid = 0;  // 0: unknown, or the client runs on another machine
  std::string process;    // name of the program of pid; empty when unknown
  std::string type;       // "normal", "dialog", "dock", "popup_menu", …
  /// What a user sees as the window without the manager's frame: the client area in root pixels,
  /// less the invisible shadow that client-side decorations declare (_GTK_FRAME_EXTENTS).
  Rect bounds;
  Rect client;    // the client area itself, shadow included
  Extents frame;  // the window manager's frame around `client` (_NET_FRAME_EXTENTS)
  xcb_window_t transient_for = XCB_NONE;
  bool focused = false;
  bool minimized = false;
  bool mapped = false;        // viewable: has pixels to show
  bool popup = false;         // override-redirect: a menu, tooltip or other short-lived window
  std::int32_t desktop = -1;  // -1: on all desktops, or there are none
  bool on_current_desktop = true;
  std::int32_t stacking = 0;  // 0: lowest of the list
  std::int32_t monitor = -1;  // index into list_monitors(); -1: outside all
};

struct WindowList {
  std::vector<Window> windows;  // lowest first
  xcb_window_t active = XCB_NONE;
  bool has_manager = false;  // an EWMH window manager is running
};

struct WindowQuery {
  bool popups = true;     // override-redirect windows too
  bool processes = true;  // read process names from /proc
};

/// All top-level windows. Without a window manager: the mapped children of the root, each by its
/// client window. Errors: unavailable. [may block: three round trips, < 1 ms for 10 windows]
Result<WindowList> list_windows(const Session& session, const std::vector<Monitor>& monitors,
                                const WindowQuery& query = {});

/// The window of that id, or null.
const Window* find_window(const WindowList& list, xcb_window_t id);

/// The listed window that `window` is, or lies in, or is the frame of; none when it is unrelated.
/// [may block: a round trip per level]
xcb_window_t top_level_of(const Session& session, const WindowList& list, xcb_window_t window);

/// "0x1a00003", the way messages name a window.
std::string id_text(xcb_window_t window);

/// Name of a program by its pid: the kernel's 15-character name, completed from the command line.
std::string process_name(std::uint32_t pid);

}  // namespace gantry::x11
