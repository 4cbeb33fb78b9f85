// SPDX-License-Identifier: Apache-2.0
#include "activate.hpp"

#include <algorithm>
#include <cstdio>

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
  char hex[16];
  std::snprintf(hex, sizeof hex, "0x%x", id);
  for (const Window& w : list.windows) {
    if (w.id == id) return std::string(hex) + " '" + w.title + "'";
  }
  return id == XCB_NONE ? "no window" : hex;
}

const Window* find(const WindowList& list, xcb_window_t id) {
  const auto it = std::find_if(list.windows.begin(), list.windows.end(),
                               [&](const Window& w) { return w.id == id; });
  return it == list.windows.end() ? nullptr : &*it;
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

bool is_done(const WindowList& list, xcb_window_t id) {
  const Window* window = find(list, id);
  return window != nullptr && window->focused && window->mapped && !window->minimized;
}

}  // namespace

Result<Activation> activate_window(X11Connection& connection, xcb_window_t id,
                                   const Patience& patience) {
  GANTRY_ASSIGN(const SessionPtr session, connection.session());
  const X11Connection::Call call(connection);
  const Session& s = *session;
  GANTRY_ASSIGN(WindowList list, list_windows(s, {}, {.popups = true, .processes = false}));
  const Window* window = find(list, id);
  if (window == nullptr) {
    return not_found("activating " + named(list, id) +
                     ": there is no such window now; list the windows again");
  }
  if (window->popup) {
    return failed_precondition("activating " + named(list, id) +
                               ": it is a menu or tooltip that the window manager does not manage");
  }
  Activation done{window->focused && window->mapped, window->minimized, "already active",
                  list.active};
  if (is_done(list, id)) return done;

  const xcb_atom_t active_atom = s.atom(Atom::NetActiveWindow);
  EventWaiter changed(connection, [=, root = s.root()](const xcb_generic_event_t& event) {
    const auto& property = reinterpret_cast<const xcb_property_notify_event_t&>(event);
    const std::uint8_t type = event_type(event);
    return (type == XCB_PROPERTY_NOTIFY &&
            (property.window == id || property.atom == active_atom)) ||
           type == XCB_MAP_NOTIFY || type == XCB_FOCUS_IN;
  });
  GANTRY_ASSIGN(const xcb_timestamp_t now, server_time(connection, session, patience));
  done.route = list.has_manager ? "_NET_ACTIVE_WINDOW" : "XSetInputFocus";
  if (list.has_manager) {
    ask_manager(s, list, *window, now);
  } else {
    without_manager(s, *window, now);
  }
  s.flush();

  for (;;) {
    GANTRY_ASSIGN(list, list_windows(s, {}, {.popups = false, .processes = false}));
    done.active = list.active;
    if (is_done(list, id)) return done;
    // Without a manager nothing announces a focus change, so look again after a slice as well.
    (void)changed.wait(list.has_manager ? patience : patience.at_most(20ms));
    if (patience.cancelled())
      return Error{Code::Cancelled, "activating " + named(list, id) + ": cancelled", {}};
    if (patience.expired()) break;
  }
  return failed_precondition("activating " + named(list, id) +
                             ": the window manager did not do it; " + named(list, list.active) +
                             " has the focus" +
                             (list.has_manager ? "" : " (there is no window manager)"));
}

}  // namespace gantry::x11
