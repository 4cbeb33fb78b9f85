// SPDX-License-Identifier: Apache-2.0
#include "turnaround.hpp"

#include "property.hpp"

#include <atomic>

namespace gantry::x11 {

Turnaround::Turnaround(X11Connection& connection, SessionPtr session, xcb_window_t focus)
    : connection_(connection), session_(std::move(session)), top_level_(focus) {
  const Session& s = *session_;
  for (xcb_window_t at = focus; at > XCB_INPUT_FOCUS_POINTER_ROOT && at != s.root();) {
    const auto tree_cookie = xcb_query_tree(s.xcb(), at);
    const Property protocols = Property::take(s, ask_property(s, at, Atom::WmProtocols));
    const auto tree = fetch_or_null<xcb_query_tree_reply>(s.xcb(), tree_cookie);
    if (protocols.present()) {
      top_level_ = at;
      answers_pings_ = protocols.has_word(s.atom(Atom::NetWmPing));
      break;
    }
    at = tree ? tree->parent : XCB_NONE;
  }
  if (!answers_pings_ && top_level_ > XCB_INPUT_FOCUS_POINTER_ROOT)
    drawing_ = DamageWatch(session_, top_level_);
}

Evidence Turnaround::wait(const Patience& patience) {
  return answers_pings_ ? wait_for_answer(patience.at_most(2s))
                        : wait_for_drawing(patience.at_most(2s));
}

Evidence Turnaround::wait_for_answer(const Patience& patience) {
  static std::atomic<std::uint32_t> pings{0x47000000};
  const std::uint32_t token =
      ++pings;  // stands where the time goes; the program sends it back unread
  const Session& s = *session_;
  const xcb_atom_t protocols = s.atom(Atom::WmProtocols);
  const xcb_atom_t ping = s.atom(Atom::NetWmPing);
  EventWaiter answer(connection_, [=](const xcb_generic_event_t& event) {
    const auto& message = reinterpret_cast<const xcb_client_message_event_t&>(event);
    return event_type(event) == XCB_CLIENT_MESSAGE && message.type == protocols &&
           message.data.data32[0] == ping && message.data.data32[1] == token;
  });
  xcb_client_message_event_t message{};
  message.response_type = XCB_CLIENT_MESSAGE;
  message.format = 32;
  message.window = top_level_;
  message.type = protocols;
  message.data.data32[0] = ping;
  message.data.data32[1] = token;
  message.data.data32[2] = top_level_;
  xcb_send_event(s.xcb(), 0, top_level_, XCB_EVENT_MASK_NO_EVENT,
                 reinterpret_cast<const char*>(&message));
  s.flush();
  return answer.wait(patience) ? Evidence::Answered : Evidence::Nothing;
}

Evidence Turnaround::wait_for_drawing(const Patience& patience) {
  // Between two characters a program on a busy machine may wait for the processor for long, and
  // what it has not read by the end of this is lost: the quiet has to be longer than such a wait.
  constexpr std::int64_t kQuiet = 120'000'000;
  constexpr std::int64_t kFirst = 300'000'000;  // no drawing at all by then: it shows no text
  bool drew = false;
  std::int64_t quiet_since = patience.now();
  while (patience.now() - quiet_since < (drew ? kQuiet : kFirst)) {
    if (drawing_.changed().value_or(false)) {
      drew = true;
      quiet_since = patience.now();
    }
    if (!patience.pause(5ms)) break;
  }
  return drew ? Evidence::Drew : Evidence::Nothing;
}

}  // namespace gantry::x11
