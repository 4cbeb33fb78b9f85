// SPDX-License-Identifier: Apache-2.0
#include "focus.hpp"

#include <algorithm>

namespace gantry::x11 {

namespace {

Result<xcb_window_t> focused_window(const Session& session) {
  GANTRY_ASSIGN(const auto focus,
                fetch<xcb_get_input_focus_reply>(session.xcb(), xcb_get_input_focus(session.xcb()),
                                                 "asking for the keyboard focus"));
  if (focus->focus == XCB_NONE) {
    return failed_precondition(
        "no window has the keyboard focus, so keys would be lost; activate a window first");
  }
  if (focus->focus != XCB_INPUT_FOCUS_POINTER_ROOT) return focus->focus;
  // The focus follows the pointer: the window under it gets the keys.
  GANTRY_ASSIGN(const auto pointer,
                fetch<xcb_query_pointer_reply>(session.xcb(),
                                               xcb_query_pointer(session.xcb(), session.root()),
                                               "asking for the pointer"));
  if (pointer->child == XCB_NONE) {
    return failed_precondition(
        "the keyboard focus follows the pointer, which is over no window; activate a window first");
  }
  return pointer->child;
}

}  // namespace

Result<Focus> read_focus(const Session& session) {
  Focus focus;
  GANTRY_ASSIGN(focus.window, focused_window(session));
  GANTRY_ASSIGN(const WindowList list,
                list_windows(session, {}, {.popups = true, .processes = false}));
  focus.top_level = top_level_of(session, list, focus.window);
  focus.popup_open = std::any_of(list.windows.begin(), list.windows.end(),
                                 [](const Window& w) { return w.popup && w.mapped; });
  return focus;
}

}  // namespace gantry::x11
