// SPDX-License-Identifier: Apache-2.0
#include "activate.hpp"

#include <algorithm>

namespace gantry::x11 {

namespace {

constexpr std::uint32_t kSourcePager = 2;  // EWMH: acting for the user, not for the application

void send_to_root(const Session& s, xcb_window_t window, Atom type, std::uint32_t a,
                  std::uint32_t b, std::uint32_t c) {
  xcb_client_message_event_t message{};
  message.response_type = XCB_CLIENT_MESSAGE;
  message.format = 32;
  message.window = window;
  message.type = s.atom(type);
  message.data.data32[0] = a;
  message.data.data32[1] = b;
  message.data.data32[2] = c;
  xcb_send_event(s.xcb(), 0, s.root(),
                 XCB_EVENT_MASK_SUBSTRUCTURE_REDIRECT | XCB_EVENT_MASK_SUBSTRUCTURE_NOTIFY,
                 reinterpret_cast<const char*>(&message));
}

/// "0x1a00003 'Title'" for messages.
std::string named(const WindowList& list, xcb_window_t id) {
  if (id == XCB_NONE) return "no window";
  const Window* window = find_window(list, id);
  return window == nullptr ? id_text(id) : id_text(id) + " '" + window->title + "'";
}

void ask_manager(const Session& s, const WindowList& list, const Window& window,
                 xcb_timestamp_t now) {
  if (window.desktop >= 0 && !window.on_current_desktop) {
    send_to_root(s, s.root(), Atom::NetCurrentDesktop, static_cast<std::uint32_t>(window.desktop),
                 now, 0);
  }
  send_to_root(s, window.id, Atom::NetActiveWindow, kSourcePager, now, list.active);
}

void without_manager(const Session& s, const Window& window, xcb_timestamp_t now) {
  const std::uint32_t above = XCB_STACK_MODE_ABOVE;
  xcb_map_window(s.xcb(), window.id);
  xcb_configure_window(s.xcb(), window.id, XCB_CONFIG_WINDOW_STACK_MODE, &above);
  xcb_set_input_focus(s.xcb(), XCB_INPUT_FOCUS_PARENT, window.id, now);
}

bool is_active(const Window* window) {
  return window != nullptr && window->focused && window->mapped && !window->minimized;
}

/// Nothing but menus lies over it.
bool is_raised(const WindowList& list, const Window& window) {
  return std::none_of(list.windows.begin(), list.windows.end(), [&](const Window& other) {
    return other.stacking > window.stacking && !other.popup && other.mapped && !other.minimized &&
           !intersection(other.bounds, window.bounds).empty();
  });
}

/// Managers announce the active window around the time they hand the focus over; keys go to the
/// focus. A window that takes no keys never has it.
bool has_input_focus(const Session& s, const WindowList& list, xcb_window_t id) {
  const auto focus =
      fetch_or_null<xcb_get_input_focus_reply>(s.xcb(), xcb_get_input_focus(s.xcb()));
  return focus && top_level_of(s, list, focus->focus) == id;
}

bool concerns_activation(const xcb_generic_event_t& event, xcb_window_t id, xcb_atom_t active) {
  const auto& property = reinterpret_cast<const xcb_property_notify_event_t&>(event);
  switch (event_type(event)) {
    case XCB_PROPERTY_NOTIFY: return property.window == id || property.atom == active;
    case XCB_MAP_NOTIFY:
    case XCB_FOCUS_IN: return true;
    default: return false;
  }
}

/// Reads the list until `id` is active and has the input focus. Returns what has the focus then.
Result<xcb_window_t> await_active(const Session& s, xcb_window_t id, EventWaiter& changed,
                                  const Patience& patience) {
  constexpr std::int64_t kFocusFollows = 300'000'000;
  std::int64_t active_since = 0;
  for (;;) {
    GANTRY_ASSIGN(const WindowList list,
                  list_windows(s, {}, {.popups = false, .processes = false}));
    if (is_active(find_window(list, id))) {
      if (active_since == 0) active_since = patience.now();
      const bool takes_no_keys = patience.now() - active_since > kFocusFollows;
      if (has_input_focus(s, list, id) || takes_no_keys) return list.active;
    }
    const std::string what = "activating " + named(list, id);
    if (patience.cancelled()) return Error{Code::Cancelled, what + ": cancelled", {}};
    if (patience.expired()) {
      return failed_precondition(
          what +
          (list.has_manager ? ": the window manager did not do it; "
                            : ": there is no window manager and the X server did not do it; ") +
          named(list, list.active) + " has the focus");
    }
    // A change of the focus alone is announced to nobody but its window, so look again anyway.
    (void)changed.wait(patience.at_most(20ms));
  }
}

}  // namespace

Result<Activation> activate_window(X11Connection& connection, xcb_window_t id,
                                   const Patience& patience) {
  GANTRY_ASSIGN(const SessionPtr session, connection.session());
  const X11Connection::Call call(connection);
  const Session& s = *session;
  GANTRY_ASSIGN(const WindowList list, list_windows(s, {}, {.popups = true, .processes = false}));
  const Window* window = find_window(list, id);
  if (window == nullptr) {
    return not_found("activating " + named(list, id) +
                     ": there is no such window now; list the windows again");
  }
  if (window->popup) {
    return failed_precondition("activating " + named(list, id) +
                               ": it is a menu or tooltip that the window manager does not manage");
  }
  Activation done{is_active(window), window->minimized, "already active", list.active};
  if (done.was_active && is_raised(list, *window) && has_input_focus(s, list, id)) return done;

  const xcb_atom_t active_atom = s.atom(Atom::NetActiveWindow);
  EventWaiter changed(connection, [=](const xcb_generic_event_t& event) {
    return concerns_activation(event, id, active_atom);
  });
  GANTRY_ASSIGN(const xcb_timestamp_t now, server_time(connection, session, patience));
  done.route = list.has_manager ? "_NET_ACTIVE_WINDOW" : "XSetInputFocus";
  if (list.has_manager) {
    ask_manager(s, list, *window, now);
  } else {
    without_manager(s, *window, now);
  }
  s.flush();
  GANTRY_ASSIGN(done.active, await_active(s, id, changed, patience));
  return done;
}

}  // namespace gantry::x11
