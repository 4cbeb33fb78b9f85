// SPDX-License-Identifier: Apache-2.0
#include "keyboard.hpp"

#include <gantry/counted.hpp>

#include "held_note.hpp"
#include "key_emitter.hpp"
#include "xcb_xkb.hpp"

#include <xcb/xtest.h>

#include <algorithm>

namespace gantry::x11 {

namespace {

constexpr std::size_t kStrokesPerRoundTrip = 64;  // bounds how late a cancel is seen
constexpr std::int64_t kKeepFor =
    10'000'000'000;  // spare keycodes of a program that does not answer

class ServerSink final : public KeySink {
 public:
  explicit ServerSink(SessionPtr session) : session_(std::move(session)) {}
  void key(std::uint8_t keycode, bool down) override {
    xcb_test_fake_input(session_->xcb(), down ? XCB_KEY_PRESS : XCB_KEY_RELEASE, keycode,
                        XCB_CURRENT_TIME, XCB_NONE, 0, 0, 0);
  }
  void lock_group(std::uint8_t group) override { latch_lock(0, 0, true, group); }
  void lock_modifiers(std::uint8_t which, std::uint8_t state) override {
    latch_lock(which, state, false, 0);
  }

 private:
  void latch_lock(std::uint8_t which, std::uint8_t state, bool set_group, std::uint8_t group) {
    // Latches (sticky keys) are opened with it: they would change the next key.
    xcb_xkb_latch_lock_state(session_->xcb(), XCB_XKB_ID_USE_CORE_KBD, which, state,
                             set_group ? 1 : 0, group, 0xFF, 0, 0);
  }
  SessionPtr session_;
};

Error no_application_has_focus(const Focus& focus) {
  return failed_precondition(
      "no application has the keyboard focus (window " + id_text(focus.window) +
      " of the window manager has it), so the text would be lost; activate a window first");
}

}  // namespace

/// Everything that has to be undone after typing, in one place.
struct Keyboard::Typing {
  SessionPtr session;
  Focus focus;
  Keymap keymap;
  KeyboardState state;
  std::vector<std::uint8_t> neutralised;  // modifier keys that were down
  KeyBits physical_before;
  std::unique_ptr<Turnaround> turnaround;
  std::vector<SpareKey> bound;
  X11Connection::Call* call = nullptr;

  Typing() = default;
  Typing(const Typing&) = delete;
  Typing& operator=(const Typing&) = delete;
  ~Typing() {
    if (!session) return;
    forget_holding(*session, Holder::Keyboard);
    session->flush();
  }

  static Result<std::unique_ptr<Typing>> begin(X11Connection& connection) {
    GANTRY_ASSIGN(const SessionPtr session, connection.session());
    if (!session->extensions().xtest) {
      return unavailable("the X server has no XTEST extension, so keys cannot be pressed",
                         "start it without -tst");
    }
    GANTRY_ASSIGN(const Focus focus, read_focus(*session));
    GANTRY_ASSIGN(Keymap keymap, read_keymap(*session));
    GANTRY_ASSIGN(const KeyboardState state, read_keyboard_state(*session));
    auto typing = std::make_unique<Typing>();
    typing->session = session;
    typing->focus = focus;
    typing->keymap = std::move(keymap);
    typing->state = state;
    note_holding(*session, Holder::Keyboard);
    if (state.held != 0 || state.latched != 0) typing->neutralise();
    return typing;
  }

  void neutralise() {
    physical_before = keys_down_physically(*session);
    neutralised = held_modifiers(keymap, keys_down(*session));
    ServerSink sink(session);
    for (const std::uint8_t keycode : neutralised) sink.key(keycode, false);
    if (state.latched != 0) sink.lock_modifiers(0, 0);
  }

  /// A text is meant for one window: what took the focus meanwhile must not get the rest of it.
  Result<void> check_focus(std::size_t strokes) const {
    if (focus.top_level == XCB_NONE) return session->sync();  // a pop-up has the keyboard
    const auto reply = fetch_or_null<xcb_get_input_focus_reply>(
        session->xcb(), xcb_get_input_focus(session->xcb()));
    if (reply && reply->focus == focus.window) return {};  // nearly always, in one round trip
    const Result<Focus> now = read_focus(*session);
    if (now.ok() && now->top_level == focus.top_level) return {};
    return failed_precondition("typing: the keyboard focus went to another window; " +
                               counted(strokes, "key was", "keys were") +
                               " pressed, the rest was not");
  }

  /// Presses again what a finger still holds, and what was held without a finger (another program's
  /// test events), but not what the user let go meanwhile.
  void hold_again() {
    if (neutralised.empty()) return;
    const KeyBits physical = keys_down_physically(*session);
    ServerSink sink(session);
    for (const std::uint8_t keycode : neutralised) {
      if (!physical_before[keycode] || physical[keycode]) sink.key(keycode, true);
    }
    session->flush();
  }
};

Result<KeyboardOutcome> Keyboard::type(std::string_view utf8, const Patience& patience) {
  const std::lock_guard lock(mutex_);
  X11Connection::Call call(connection_);
  GANTRY_ASSIGN(const auto typing, Typing::begin(connection_));
  typing->call = &call;
  if (typing->focus.top_level == XCB_NONE && !typing->focus.popup_open) {
    typing->hold_again();
    return no_application_has_focus(typing->focus);
  }
  KeyboardOutcome outcome;
  outcome.focus = typing->focus;
  Result<void> result;
  auto batches = plan_typing(typing->keymap, typing->state.group, utf8);
  if (!batches) {
    result = batches.error();
  } else {
    for (const TypingBatch& batch : *batches) {
      if (result.ok()) result = run_batch(*typing, batch, outcome, patience);
    }
  }
  const Result<void> released = release(*typing, outcome, patience);
  if (result.ok()) result = released;
  if (!result.ok()) return std::move(result).error();
  return outcome;
}

Result<KeyboardOutcome> Keyboard::press(std::string_view keys, int count,
                                        const Patience& patience) {
  GANTRY_ASSIGN(const std::vector<Chord> chords, parse_keys(keys));
  if (count < 1 || count > 1000) {
    return invalid_argument("pressing '" + std::string(keys) + "' " + std::to_string(count) +
                            " times: the count must be 1 to 1000");
  }
  const std::lock_guard lock(mutex_);
  X11Connection::Call call(connection_);
  GANTRY_ASSIGN(const auto typing, Typing::begin(connection_));
  typing->call = &call;
  KeyboardOutcome outcome;
  outcome.focus = typing->focus;
  Result<void> result;
  for (int i = 0; i < count && result.ok(); ++i) {
    for (const Chord& chord : chords) {
      if (result.ok()) result = press_chord(*typing, chord, outcome, patience);
    }
  }
  const Result<void> released = release(*typing, outcome, patience);
  if (result.ok()) result = released;
  if (!result.ok()) return std::move(result).error();
  return outcome;
}

Result<void> Keyboard::run_batch(Typing& typing, const TypingBatch& batch, KeyboardOutcome& outcome,
                                 const Patience& patience) {
  typing.call->renew();
  GANTRY_TRY(patience.check("typing"));
  GANTRY_TRY(bind(typing, batch.spare_keys, outcome, patience));
  if (outcome.strokes > 0) GANTRY_TRY(typing.check_focus(outcome.strokes));
  ServerSink sink(typing.session);
  KeyEmitter emitter(sink, typing.keymap, typing.state);
  std::size_t since_sync = 0;
  for (const Stroke& stroke : batch.strokes) {
    emitter.stroke(stroke);
    ++outcome.strokes;
    if (++since_sync < kStrokesPerRoundTrip) continue;
    since_sync = 0;
    GANTRY_TRY(typing.check_focus(outcome.strokes));
    typing.call->renew();
    GANTRY_TRY(patience.check("typing (" + counted(outcome.strokes, "key was", "keys were") +
                              " pressed)"));
  }
  return {};
}

Result<void> Keyboard::press_chord(Typing& typing, const Chord& chord, KeyboardOutcome& outcome,
                                   const Patience& patience) {
  typing.call->renew();
  GANTRY_TRY(patience.check("pressing keys"));
  ServerSink sink(typing.session);
  KeyEmitter emitter(sink, typing.keymap, typing.state);
  for (const xkb_keysym_t modifier : chord.modifiers) {
    GANTRY_ASSIGN(const KeyPlan plan, plan_key(typing.keymap, typing.state.group, modifier));
    const std::uint8_t bits = typing.keymap.modmap[plan.stroke.keycode];
    if (bits == 0) {
      char name[64] = {};
      xkb_keysym_get_name(modifier, name, sizeof name);
      return failed_precondition("this keyboard map has no " + std::string(name) +
                                 " key that acts as a modifier");
    }
    emitter.hold(plan.stroke.keycode, bits);
  }
  GANTRY_ASSIGN(KeyPlan plan, plan_key(typing.keymap, typing.state.group, chord.key));
  if (!plan.spare_keys.empty()) GANTRY_TRY(bind(typing, plan.spare_keys, outcome, patience));
  emitter.stroke(plan.stroke);
  ++outcome.strokes;
  emitter.release_all();
  return typing.session->sync();
}

Result<void> Keyboard::bind(Typing& typing, const std::vector<SpareKey>& spare,
                            KeyboardOutcome& outcome, const Patience& patience) {
  if (spare.empty() || spare == typing.bound) return {};
  if (!typing.bound.empty()) {
    // The same keycodes are about to change their meaning; the program must have read the last
    // batch.
    outcome.evidence = typing.turnaround->wait(patience);
    GANTRY_TRY(patience.check("typing"));
    if (outcome.evidence == Evidence::Nothing && typing.turnaround->answers_pings()) {
      return Error{Code::DeadlineExceeded,
                   "typing: the program with the focus (window " + id_text(typing.focus.window) +
                       ") has not read its keys for 2 s; " +
                       counted(outcome.strokes, "key was", "keys were") +
                       " pressed, the rest was not",
                   {}};
    }
  } else {
    typing.turnaround =
        std::make_unique<Turnaround>(connection_, typing.session, typing.focus.window);
  }
  std::vector<SpareKey> noted = typing.bound;
  noted.insert(noted.end(), spare.begin(), spare.end());
  write_note(*typing.session,
             noted);  // before the change, so that a crash in between leaves a note
  GANTRY_TRY(bind_keys(*typing.session, typing.keymap, spare, typing.bound));
  typing.bound = spare;
  ++outcome.map_changes;
  return {};
}

Result<void> Keyboard::release(Typing& typing, KeyboardOutcome& outcome, const Patience& patience) {
  typing.session->flush();
  if (!typing.bound.empty() && typing.session->alive()) {
    // A cancelled caller does not wait, but the program still has to read what was typed.
    const Patience own(connection_.clock(), Patience::kForever);
    outcome.evidence = typing.turnaround->wait(patience.cancelled() ? own : patience);
    const bool busy = outcome.evidence == Evidence::Nothing;
    if (busy) {
      kept_ = typing.bound;
      kept_generation_ = typing.session->generation();
      kept_until_ns_ = connection_.clock()() + kKeepFor;
      outcome.restored_later = true;
    } else if (unbind_keys(*typing.session, typing.bound)) {
      delete_note(*typing.session);
    }
  }
  typing.hold_again();
  // Also after a failure: of a client that hangs up the server drops what it has not read.
  return typing.session->sync();
}

void Keyboard::maintain(bool now) {
  const std::lock_guard lock(mutex_);
  if (kept_.empty() || (!now && connection_.clock()() < kept_until_ns_)) return;
  const SessionPtr session = connection_.current();
  if (session && session->generation() == kept_generation_ && unbind_keys(*session, kept_))
    delete_note(*session);
  kept_.clear();
}

void Keyboard::on_connected(const SessionPtr& session) {
  (void)repair_leftovers(*session);
  (void)release_leftovers(*session);
}

}  // namespace gantry::x11
