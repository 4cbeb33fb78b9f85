// SPDX-License-Identifier: Apache-2.0
#include "windows.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <set>

namespace gantry::x11 {

namespace {

constexpr std::uint32_t kAllDesktops = 0xFFFFFFFF;
constexpr std::uint32_t kIconicState = 3;  // ICCCM 4.1.3.1

struct TypeRow {
  Atom atom;
  std::string_view name;
};
constexpr TypeRow kTypes[] = {
    {Atom::NetWmWindowTypeNormal, "normal"},
    {Atom::NetWmWindowTypeDialog, "dialog"},
    {Atom::NetWmWindowTypeDock, "dock"},
    {Atom::NetWmWindowTypeDesktop, "desktop"},
    {Atom::NetWmWindowTypeUtility, "utility"},
    {Atom::NetWmWindowTypeToolbar, "toolbar"},
    {Atom::NetWmWindowTypeMenu, "menu"},
    {Atom::NetWmWindowTypePopupMenu, "popup_menu"},
    {Atom::NetWmWindowTypeDropdownMenu, "dropdown_menu"},
    {Atom::NetWmWindowTypeTooltip, "tooltip"},
    {Atom::NetWmWindowTypeNotification, "notification"},
    {Atom::NetWmWindowTypeSplash, "splash"},
    {Atom::NetWmWindowTypeCombo, "combo"},
    {Atom::NetWmWindowTypeDnd, "dnd"},
};

/// The replies that one window needs, all under way at once.
struct WindowCookies {
  xcb_window_t id = XCB_NONE;
  bool popup = false;
  xcb_get_geometry_cookie_t geometry{};
  xcb_translate_coordinates_cookie_t origin{};
  xcb_get_window_attributes_cookie_t attributes{};
  xcb_get_property_cookie_t net_name{}, name{}, pid{}, machine{}, app{}, state{}, wm_state{},
      desktop{};
  xcb_get_property_cookie_t type{}, frame{}, shadow{}, transient_for{};
};

xcb_get_property_cookie_t ask_core(const Session& s, xcb_window_t window, xcb_atom_t atom) {
  return xcb_get_property(s.xcb(), 0, window, atom, XCB_GET_PROPERTY_TYPE_ANY, 0, 1024);
}

WindowCookies ask_window(const Session& s, xcb_window_t id, bool popup) {
  WindowCookies c;
  c.id = id;
  c.popup = popup;
  // Selecting again costs nothing, and a window that is new to us must report its changes.
  const std::uint32_t mask = XCB_EVENT_MASK_PROPERTY_CHANGE | XCB_EVENT_MASK_STRUCTURE_NOTIFY;
  if (id != s.helper()) xcb_change_window_attributes(s.xcb(), id, XCB_CW_EVENT_MASK, &mask);
  c.geometry = xcb_get_geometry(s.xcb(), id);
  c.origin = xcb_translate_coordinates(s.xcb(), id, s.root(), 0, 0);
  c.attributes = xcb_get_window_attributes(s.xcb(), id);
  c.net_name = ask_property(s, id, Atom::NetWmName);
  c.name = ask_core(s, id, XCB_ATOM_WM_NAME);
  c.pid = ask_property(s, id, Atom::NetWmPid);
  c.machine = ask_core(s, id, XCB_ATOM_WM_CLIENT_MACHINE);
  c.app = ask_core(s, id, XCB_ATOM_WM_CLASS);
  c.state = ask_property(s, id, Atom::NetWmState);
  c.wm_state = ask_property(s, id, Atom::WmState);
  c.desktop = ask_property(s, id, Atom::NetWmDesktop);
  c.type = ask_property(s, id, Atom::NetWmWindowType);
  c.frame = ask_property(s, id, Atom::NetFrameExtents);
  c.shadow = ask_property(s, id, Atom::GtkFrameExtents);
  c.transient_for = ask_core(s, id, XCB_ATOM_WM_TRANSIENT_FOR);
  return c;
}

Extents extents_of(const Property& p) {
  // Any client may write anything there; no border is wider than a screen can be.
  constexpr std::uint32_t kWidest = 32767;
  const auto side = [&](std::size_t i) {
    const std::uint32_t width = p.word(i);
    return width > kWidest ? 0 : static_cast<std::int32_t>(width);
  };
  return {side(0), side(1), side(2), side(3)};
}

std::string type_of_window(const Session& s, const Property& types, const Window& window) {
  for (const std::uint32_t atom : types.words()) {
    for (const TypeRow& row : kTypes) {
      if (s.atom(row.atom) == atom) return std::string(row.name);
    }
  }
  // EWMH: a transient window without a type is a dialog, any other is normal.
  return window.transient_for != XCB_NONE && !window.popup ? "dialog" : "normal";
}

bool on_this_machine(const Property& machine) {
  if (!machine.present()) return true;
  std::array<char, 256> host{};
  if (gethostname(host.data(), host.size() - 1) != 0) return true;
  const std::string_view mine(host.data());
  const std::string_view theirs = machine.bytes();
  return theirs.substr(0, theirs.find('.')) == mine.substr(0, mine.find('.')) ||
         theirs == "localhost";
}

void read_state(const Session& s, const WindowCookies& c, Window& w) {
  const Property state = Property::take(s, c.state);
  const Property wm_state = Property::take(s, c.wm_state);
  const Property desktop = Property::take(s, c.desktop);
  w.minimized = state.has_word(s.atom(Atom::NetWmStateHidden)) || wm_state.word(0) == kIconicState;
  const std::uint32_t number = desktop.word(0, kAllDesktops);
  w.desktop = number == kAllDesktops ? -1 : static_cast<std::int32_t>(number);
}

void read_names(const Session& s, const WindowCookies& c, bool processes, Window& w) {
  const Property net_name = Property::take(s, c.net_name);
  const Property name = Property::take(s, c.name);
  w.title = net_name.present() ? net_name.text(s) : name.text(s);
  const Property app_property = Property::take(s, c.app);
  const std::string_view app = app_property.bytes();
  const std::size_t split = app.find('\0');
  if (split != std::string_view::npos) w.app_class = latin1_to_utf8(app.substr(split + 1));
  const Property pid = Property::take(s, c.pid);
  if (on_this_machine(Property::take(s, c.machine))) w.pid = pid.word(0);
  if (processes && w.pid != 0) w.process = process_name(w.pid);
}

/// False when the window died in the meantime; every reply is collected all the same.
bool read_window(const Session& s, const WindowCookies& c, bool processes, Window& w) {
  const auto geometry = fetch_or_null<xcb_get_geometry_reply>(s.xcb(), c.geometry);
  const auto origin = fetch_or_null<xcb_translate_coordinates_reply>(s.xcb(), c.origin);
  const auto attributes = fetch_or_null<xcb_get_window_attributes_reply>(s.xcb(), c.attributes);
  w.id = c.id;
  w.popup = c.popup;
  read_names(s, c, processes, w);
  read_state(s, c, w);
  const Property type = Property::take(s, c.type);
  w.frame = extents_of(Property::take(s, c.frame));
  const Extents shadow = extents_of(Property::take(s, c.shadow));
  w.transient_for = Property::take(s, c.transient_for).word(0);
  w.type = type_of_window(s, type, w);
  if (!geometry || !origin || !attributes) return false;
  w.mapped = attributes->map_state == XCB_MAP_STATE_VIEWABLE;
  w.client = {origin->dst_x, origin->dst_y, geometry->width, geometry->height};
  const Rect visible = shrunk(w.client, shadow);
  w.bounds = visible.empty() ? w.client : visible;
  return true;
}

/// Children of the root, lowest first, with the attributes that tell frames from popups.
struct RootChild {
  xcb_window_t id;
  bool override_redirect;
  bool viewable;
};

std::vector<RootChild> read_children(const Session& s, const xcb_query_tree_reply_t& tree) {
  const xcb_window_t* ids = xcb_query_tree_children(&tree);
  const auto count = static_cast<std::size_t>(xcb_query_tree_children_length(&tree));
  std::vector<xcb_get_window_attributes_cookie_t> cookies(count);
  for (std::size_t i = 0; i < count; ++i) cookies[i] = xcb_get_window_attributes(s.xcb(), ids[i]);
  std::vector<RootChild> children;
  for (std::size_t i = 0; i < count; ++i) {
    const auto a = fetch_or_null<xcb_get_window_attributes_reply>(s.xcb(), cookies[i]);
    if (!a || a->_class != XCB_WINDOW_CLASS_INPUT_OUTPUT) continue;
    children.push_back({ids[i], a->override_redirect != 0, a->map_state == XCB_MAP_STATE_VIEWABLE});
  }
  return children;
}

/// The client of a top-level without a manager: the nearest window with WM_STATE (a manager that
/// died left its frames), else the top-level itself.
xcb_window_t client_below(const Session& s, xcb_window_t top, int depth = 3) {
  if (Property::take(s, ask_property(s, top, Atom::WmState, 8)).present()) return top;
  if (depth == 0) return XCB_NONE;
  const auto tree = fetch_or_null<xcb_query_tree_reply>(s.xcb(), xcb_query_tree(s.xcb(), top));
  if (!tree) return XCB_NONE;
  for (int i = 0; i < xcb_query_tree_children_length(tree.get()); ++i) {
    const xcb_window_t found = client_below(s, xcb_query_tree_children(tree.get())[i], depth - 1);
    if (found != XCB_NONE) return found;
  }
  return XCB_NONE;
}

void ask_clients(const Session& s, const Property& stacking, const Property& unordered,
                 bool managed, const std::vector<RootChild>& children,
                 std::vector<WindowCookies>& asked) {
  if (managed) {
    const auto ids = stacking.words().empty() ? unordered.words() : stacking.words();
    for (const xcb_window_t id : ids) asked.push_back(ask_window(s, id, false));
    return;
  }
  for (const RootChild& child : children) {
    if (child.override_redirect || !child.viewable) continue;
    const xcb_window_t client = client_below(s, child.id);
    asked.push_back(ask_window(s, client != XCB_NONE ? client : child.id, false));
  }
}

void settle(const std::vector<Monitor>& monitors, std::uint32_t current_desktop, WindowList& list) {
  for (std::size_t i = 0; i < list.windows.size(); ++i) {
    Window& w = list.windows[i];
    w.stacking = static_cast<std::int32_t>(i);
    w.focused = w.id == list.active;
    w.on_current_desktop =
        w.desktop < 0 || static_cast<std::uint32_t>(w.desktop) == current_desktop;
    w.monitor = monitor_of(monitors, w.bounds);
  }
}

}  // namespace

Result<WindowList> list_windows(const Session& s, const std::vector<Monitor>& monitors,
                                const WindowQuery& query) {
  const auto stacking_cookie = ask_property(s, s.root(), Atom::NetClientListStacking, 65536);
  const auto clients_cookie = ask_property(s, s.root(), Atom::NetClientList, 65536);
  const auto active_cookie = ask_property(s, s.root(), Atom::NetActiveWindow);
  const auto manager_cookie = ask_property(s, s.root(), Atom::NetSupportingWmCheck);
  const auto desktop_cookie = ask_property(s, s.root(), Atom::NetCurrentDesktop);
  const auto focus_cookie = xcb_get_input_focus(s.xcb());
  const auto tree_cookie = xcb_query_tree(s.xcb(), s.root());
  const Property stacking = Property::take(s, stacking_cookie);
  const Property clients = Property::take(s, clients_cookie);
  const Property active = Property::take(s, active_cookie);
  const Property manager = Property::take(s, manager_cookie);
  const Property desktop = Property::take(s, desktop_cookie);
  const auto focus = fetch_or_null<xcb_get_input_focus_reply>(s.xcb(), focus_cookie);
  GANTRY_ASSIGN(const auto tree,
                fetch<xcb_query_tree_reply>(s.xcb(), tree_cookie, "listing the windows"));

  WindowList list;
  // A manager that died leaves its properties: the check window must exist and name itself.
  const xcb_window_t check_window = manager.word(0);
  const auto check_cookie = ask_property(s, check_window, Atom::NetSupportingWmCheck);
  const std::vector<RootChild> children = read_children(s, *tree);
  list.has_manager = Property::take(s, check_cookie).word(0) == check_window &&
                     check_window != XCB_NONE && clients.present();

  std::vector<WindowCookies> asked;  // lowest first
  ask_clients(s, stacking, clients, list.has_manager, children, asked);
  if (query.popups) {
    for (const RootChild& child : children) {
      // The helper windows of managers and input methods are 1x1 or off-screen; settled below.
      if (child.override_redirect && child.viewable) asked.push_back(ask_window(s, child.id, true));
    }
  }
  const Rect root{0, 0, INT16_MAX, INT16_MAX};
  std::set<xcb_window_t> seen;
  for (const WindowCookies& cookies : asked) {
    Window window;
    if (!read_window(s, cookies, query.processes, window) || !seen.insert(window.id).second)
      continue;
    const bool invisible_helper =
        window.popup && (intersection(window.bounds, root).empty() || area(window.bounds) <= 1);
    if (!invisible_helper) list.windows.push_back(std::move(window));
  }
  list.active = list.has_manager ? active.word(0)
                : focus          ? top_level_of(s, list, focus->focus)
                                 : XCB_NONE;
  settle(monitors, desktop.word(0), list);
  return list;
}

const Window* find_window(const WindowList& list, xcb_window_t id) {
  const auto it = std::find_if(list.windows.begin(), list.windows.end(),
                               [&](const Window& w) { return w.id == id; });
  return it == list.windows.end() ? nullptr : &*it;
}

xcb_window_t top_level_of(const Session& s, const WindowList& list, xcb_window_t window) {
  xcb_window_t below_root = window;
  for (xcb_window_t at = window; at > XCB_INPUT_FOCUS_POINTER_ROOT && at != s.root();) {
    if (find_window(list, at) != nullptr) return at;
    below_root = at;
    const auto tree = fetch_or_null<xcb_query_tree_reply>(s.xcb(), xcb_query_tree(s.xcb(), at));
    if (!tree) return XCB_NONE;
    at = tree->parent;
  }
  // Not inside a client: perhaps it is a manager's frame around one.
  for (const Window& w : list.windows) {
    for (xcb_window_t at = w.id; at > XCB_INPUT_FOCUS_POINTER_ROOT && at != s.root();) {
      const auto tree = fetch_or_null<xcb_query_tree_reply>(s.xcb(), xcb_query_tree(s.xcb(), at));
      if (!tree) break;
      at = tree->parent;
      if (at == below_root) return w.id;
    }
  }
  return XCB_NONE;
}

std::string id_text(xcb_window_t window) {
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), "0x%x", window);
  return text.data();
}

std::string process_name(std::uint32_t pid) {
  const std::string base = "/proc/" + std::to_string(pid);
  std::string name;
  std::ifstream comm(base + "/comm");
  std::getline(comm, name);
  constexpr std::size_t kKernelLimit = 15;  // TASK_COMM_LEN - 1
  if (name.size() < kKernelLimit) return valid_utf8(name);
  std::ifstream command_line(base + "/cmdline");
  std::string program;
  std::getline(command_line, program, '\0');
  program = program.substr(program.rfind('/') + 1);
  return valid_utf8(program.starts_with(name) ? program : name);
}

}  // namespace gantry::x11
