// SPDX-License-Identifier: Apache-2.0
//
// Who gets keys: the window with the keyboard focus, and the application window it belongs to.
#pragma once

#include "windows.hpp"

namespace gantry::x11 {

struct Focus {
  xcb_window_t window = XCB_NONE;     // that the server sends keys to
  xcb_window_t top_level = XCB_NONE;  // listed window it lies in; none: a window manager's own
  bool popup_open = false;  // a menu or launcher is shown, which may have grabbed the keyboard
};

/// Errors: failed_precondition (nothing has the focus), unavailable.
/// [may block: a few round trips]
Result<Focus> read_focus(const Session& session);

}  // namespace gantry::x11
