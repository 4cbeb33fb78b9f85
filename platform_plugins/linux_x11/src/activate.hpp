// SPDX-License-Identifier: Apache-2.0
//
// Bringing a window to the front and giving it the focus, with the manager's own word that it did.
#pragma once

#include "connection.hpp"
#include "windows.hpp"

namespace gantry::x11 {

struct Activation {
  bool was_active = false;  // nothing had to be done
  bool was_minimized = false;
  std::string route;  // "already active", "_NET_ACTIVE_WINDOW" or "XSetInputFocus" (no manager)
  xcb_window_t active = XCB_NONE;  // what has the focus now
};

/// Activates `window`: switches to its desktop, un-minimises, raises, focuses, and reads back.
/// Errors: not_found (no such window), failed_precondition (a menu, or the manager refused: the
/// message names the window that has the focus), cancelled. [may block: until the manager has done
/// it, or the patience ends]
Result<Activation> activate_window(X11Connection& connection, xcb_window_t window,
                                   const Patience& patience);

}  // namespace gantry::x11
