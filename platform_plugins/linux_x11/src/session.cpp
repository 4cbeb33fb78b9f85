// SPDX-License-Identifier: Apache-2.0
#include "session.hpp"

#include "xcb_xkb.hpp"

#include <xcb/composite.h>
#include <xcb/damage.h>
#include <xcb/randr.h>
#include <xcb/shm.h>
#include <xcb/xfixes.h>
#include <xcb/xinput.h>

#include <xcb/xtest.h>

#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>

namespace gantry::x11 {

namespace {

/// xcb writes with writev, which raises SIGPIPE when the server died. Only a process that has no
/// opinion yet is changed; the daemon ignores the signal anyway.
void ignore_sigpipe() {
  struct sigaction current {};
  if (sigaction(SIGPIPE, nullptr, &current) == 0 && (current.sa_flags & SA_SIGINFO) == 0 &&
      current.sa_handler == SIG_DFL) {
    (void)signal(SIGPIPE, SIG_IGN);
  }
}

Error connect_failure(int xcb_error, const std::string& display) {
  switch (xcb_error) {
    case XCB_CONN_CLOSED_PARSE_ERR:
      return unavailable("DISPLAY is '" + display + "', which is not a display name",
                         "set it to something like :0");
    case XCB_CONN_CLOSED_INVALID_SCREEN:
      return unavailable("display '" + display + "' has no such screen", "use screen 0: :0.0");
    case XCB_CONN_CLOSED_MEM_INSUFFICIENT:
      return {
          Code::ResourceExhausted, "connecting to display '" + display + "': out of memory", {}};
    default:
      return unavailable(
          "no X server answers on display '" + display + "', or it refused this user",
          "start it, or set DISPLAY or linux_x11.display to one that runs; under another user, set "
          "XAUTHORITY to a readable cookie file");
  }
}

bool present(xcb_connection_t* xcb, xcb_extension_t* id) {
  const xcb_query_extension_reply_t* data = xcb_get_extension_data(xcb, id);
  return data != nullptr && data->present != 0;
}

}  // namespace

Result<SessionPtr> Session::open(const std::string& wanted) {
  const char* environment = std::getenv("DISPLAY");
  const std::string display = !wanted.empty() ? wanted : environment != nullptr ? environment : "";
  if (display.empty()) {
    return unavailable("DISPLAY is not set",
                       "start the daemon in a desktop session, or set DISPLAY or "
                       "linux_x11.display to a running X server");
  }
  ignore_sigpipe();
  static std::atomic<std::uint64_t> generations{0};
  SessionPtr session(new Session);
  session->display_ = display;
  session->generation_ = ++generations;
  int screen_number = 0;
  session->xcb_ = xcb_connect(display.c_str(), &screen_number);
  if (const int error = xcb_connection_has_error(session->xcb_); error != 0) {
    return connect_failure(error, display);
  }
  auto screens = xcb_setup_roots_iterator(xcb_get_setup(session->xcb_));
  for (; screens.rem > 0 && screen_number > 0; --screen_number) xcb_screen_next(&screens);
  if (screens.rem == 0) return connect_failure(XCB_CONN_CLOSED_INVALID_SCREEN, display);
  session->screen_ = screens.data;
  GANTRY_TRY(session->intern_atoms());
  session->query_extensions();
  GANTRY_TRY(session->make_helper());
  return session;
}

Session::~Session() {
  if (xcb_ != nullptr) xcb_disconnect(xcb_);
}

void Session::shut_down() {
  // Not xcb_disconnect: other threads may be inside xcb, and only the destructor knows they are
  // not.
  ::shutdown(xcb_get_file_descriptor(xcb_), SHUT_RDWR);
}

Result<void> Session::sync() {
  auto reply =
      fetch<xcb_get_input_focus_reply>(xcb_, xcb_get_input_focus(xcb_), "waiting for the X server");
  if (!reply) return std::move(reply).error();
  return {};
}

std::string Session::atom_name(xcb_atom_t atom) const {
  if (atom == XCB_NONE) return {};
  const auto reply = fetch_or_null<xcb_get_atom_name_reply>(xcb_, xcb_get_atom_name(xcb_, atom));
  if (!reply) return {};
  return {xcb_get_atom_name_name(reply.get()),
          static_cast<std::size_t>(xcb_get_atom_name_name_length(reply.get()))};
}

Result<void> Session::intern_atoms() {
  std::array<xcb_intern_atom_cookie_t, kAtomCount> cookies{};
  for (std::size_t i = 0; i < kAtomCount; ++i) {
    cookies[i] = xcb_intern_atom(xcb_, 0, static_cast<std::uint16_t>(kAtomNames[i].size()),
                                 kAtomNames[i].data());
  }
  Result<void> outcome;
  for (std::size_t i = 0; i < kAtomCount; ++i) {
    auto reply = fetch<xcb_intern_atom_reply>(xcb_, cookies[i], "interning atoms");
    if (reply) {
      atoms_[i] = (*reply)->atom;
    } else {
      outcome = std::move(reply).error();
    }
  }
  return outcome;
}

void Session::query_extensions() {
  xcb_extension_t* const all[] = {&xcb_shm_id,   &xcb_damage_id, &xcb_composite_id, &xcb_test_id,
                                  &xcb_randr_id, &xcb_xkb_id,    &xcb_xfixes_id,    &xcb_input_id};
  for (xcb_extension_t* id : all) xcb_prefetch_extension_data(xcb_, id);
  const std::string_view xwayland_name = "XWAYLAND";
  const auto xwayland_cookie = xcb_query_extension(
      xcb_, static_cast<std::uint16_t>(xwayland_name.size()), xwayland_name.data());

  Extensions& e = extensions_;
  if (present(xcb_, &xcb_shm_id)) {
    if (const auto v =
            fetch_or_null<xcb_shm_query_version_reply>(xcb_, xcb_shm_query_version(xcb_))) {
      e.shm = true;
      e.shm_by_fd = v->major_version > 1 || (v->major_version == 1 && v->minor_version >= 2);
    }
  }
  // Versions must be announced before any other request of these extensions is allowed.
  if (present(xcb_, &xcb_xfixes_id)) {
    e.xfixes = fetch_or_null<xcb_xfixes_query_version_reply>(
                   xcb_, xcb_xfixes_query_version(xcb_, 5, 0)) != nullptr;
  }
  if (present(xcb_, &xcb_damage_id)) {
    e.damage = fetch_or_null<xcb_damage_query_version_reply>(
                   xcb_, xcb_damage_query_version(xcb_, 1, 1)) != nullptr;
  }
  if (present(xcb_, &xcb_composite_id)) {
    const auto v = fetch_or_null<xcb_composite_query_version_reply>(
        xcb_, xcb_composite_query_version(xcb_, 0, 4));
    e.composite = v && (v->major_version > 0 || v->minor_version >= 2);  // 0.2: NameWindowPixmap
  }
  if (present(xcb_, &xcb_test_id)) {
    e.xtest = fetch_or_null<xcb_test_get_version_reply>(xcb_, xcb_test_get_version(xcb_, 2, 2)) !=
              nullptr;
  }
  if (present(xcb_, &xcb_randr_id)) {
    const auto v =
        fetch_or_null<xcb_randr_query_version_reply>(xcb_, xcb_randr_query_version(xcb_, 1, 5));
    e.randr = v && (v->major_version > 1 || v->minor_version >= 2);
    e.randr_monitors = v && (v->major_version > 1 || v->minor_version >= 5);
  }
  if (present(xcb_, &xcb_xkb_id)) {
    const auto v =
        fetch_or_null<xcb_xkb_use_extension_reply>(xcb_, xcb_xkb_use_extension(xcb_, 1, 0));
    e.xkb = v && v->supported != 0;
  }
  if (present(xcb_, &xcb_input_id)) {
    e.xinput = fetch_or_null<xcb_input_xi_query_version_reply>(
                   xcb_, xcb_input_xi_query_version(xcb_, 2, 2)) != nullptr;
  }
  const auto xwayland = fetch_or_null<xcb_query_extension_reply>(xcb_, xwayland_cookie);
  e.xwayland = xwayland && xwayland->present != 0;
}

Result<void> Session::make_helper() {
  // Root events: EWMH properties, windows that come, go and move, answers to _NET_WM_PING.
  const std::uint32_t root_mask = XCB_EVENT_MASK_PROPERTY_CHANGE |
                                  XCB_EVENT_MASK_SUBSTRUCTURE_NOTIFY |
                                  XCB_EVENT_MASK_STRUCTURE_NOTIFY | XCB_EVENT_MASK_FOCUS_CHANGE;
  xcb_change_window_attributes(xcb_, root(), XCB_CW_EVENT_MASK, &root_mask);
  helper_ = xcb_generate_id(xcb_);
  const std::uint32_t values[] = {1, XCB_EVENT_MASK_PROPERTY_CHANGE};  // override redirect: no WM
  return check(xcb_,
               xcb_create_window_checked(xcb_, XCB_COPY_FROM_PARENT, helper_, root(), -10, -10, 1,
                                         1, 0, XCB_WINDOW_CLASS_INPUT_ONLY, XCB_COPY_FROM_PARENT,
                                         XCB_CW_OVERRIDE_REDIRECT | XCB_CW_EVENT_MASK, values),
               "creating the helper window");
}

}  // namespace gantry::x11
