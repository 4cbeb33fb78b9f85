// SPDX-License-Identifier: Apache-2.0
#include "window_watch.hpp"

#include "property.hpp"

namespace gantry::x11 {

void WindowWatch::tell(WindowChange kind, xcb_window_t window) {
  report_(kind, window, serial_.fetch_add(1, std::memory_order_relaxed) + 1);
}

void WindowWatch::on_connected(const SessionPtr& session) {
  clients_.clear();
  compare_clients(*session);
}

void WindowWatch::on_lost() {
  clients_.clear();
  tell(WindowChange::Lost, XCB_NONE);
}

/// Reads the manager's list and reports what came and went. New windows are asked for their events.
void WindowWatch::compare_clients(const Session& s) {
  const Property list = Property::take(s, ask_property(s, s.root(), Atom::NetClientList, 65536));
  has_manager_ = list.present();
  if (!has_manager_) return;
  std::set<xcb_window_t> now(list.words().begin(), list.words().end());
  for (const xcb_window_t window : now) {
    if (clients_.contains(window)) continue;
    const std::uint32_t mask = XCB_EVENT_MASK_PROPERTY_CHANGE | XCB_EVENT_MASK_STRUCTURE_NOTIFY;
    xcb_change_window_attributes(s.xcb(), window, XCB_CW_EVENT_MASK, &mask);
    tell(WindowChange::Opened, window);
  }
  for (const xcb_window_t window : clients_) {
    if (!now.contains(window)) tell(WindowChange::Closed, window);
  }
  clients_ = std::move(now);
  s.flush();
}

void WindowWatch::on_property(const Session& s, const xcb_property_notify_event_t& event) {
  if (event.window == s.root()) {
    if (event.atom == s.atom(Atom::NetClientList)) compare_clients(s);
    if (event.atom == s.atom(Atom::NetClientListStacking)) tell(WindowChange::Stacked, XCB_NONE);
    if (event.atom == s.atom(Atom::NetActiveWindow)) {
      const Property active = Property::take(s, ask_property(s, s.root(), Atom::NetActiveWindow));
      tell(WindowChange::Focused, active.word(0));
    }
    return;
  }
  if (event.atom == s.atom(Atom::NetWmName) || event.atom == XCB_ATOM_WM_NAME) {
    tell(WindowChange::Renamed, event.window);
  } else if (event.atom == s.atom(Atom::NetWmState) || event.atom == s.atom(Atom::WmState)) {
    tell(WindowChange::Stacked, event.window);  // minimised, maximised, raised above
  }
}

void WindowWatch::on_event(const SessionPtr& session, const xcb_generic_event_t& event) {
  switch (event_type(event)) {
    case XCB_PROPERTY_NOTIFY:
      on_property(*session, reinterpret_cast<const xcb_property_notify_event_t&>(event));
      break;
    case XCB_CONFIGURE_NOTIFY: {
      const auto& configure = reinterpret_cast<const xcb_configure_notify_event_t&>(event);
      // Managers send clients a synthetic event with root coordinates for every move of the frame.
      if (clients_.contains(configure.window) || !has_manager_)
        tell(WindowChange::Moved, configure.window);
      break;
    }
    case XCB_DESTROY_NOTIFY:
      if (destroyed_) {
        destroyed_(reinterpret_cast<const xcb_destroy_notify_event_t&>(event).window,
                   {session->generation(), event.full_sequence});
      }
      break;
    case XCB_MAP_NOTIFY: {
      const auto& map = reinterpret_cast<const xcb_map_notify_event_t&>(event);
      if (map.override_redirect != 0 || !has_manager_) tell(WindowChange::Opened, map.window);
      break;
    }
    case XCB_UNMAP_NOTIFY: {
      const auto& unmap = reinterpret_cast<const xcb_unmap_notify_event_t&>(event);
      // A managed client is withdrawn from the list first; this is for menus and manager-less
      // desktops.
      if (unmap.event == session->root() && !clients_.contains(unmap.window))
        tell(WindowChange::Closed, unmap.window);
      break;
    }
    default: break;
  }
}

}  // namespace gantry::x11
