// SPDX-License-Identifier: Apache-2.0
//
// Keyboard: presses chords and types text by XTest, and leaves the keyboard as it was: no modifier
// down that was up, locks and group as before, spare keycodes empty, also after an error or a
// cancel.
#pragma once

#include "connection.hpp"
#include "focus.hpp"
#include "held_keys.hpp"
#include "keymap_server.hpp"
#include "turnaround.hpp"

#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace gantry::x11 {

struct KeyboardOutcome {
  Focus focus;                  // what had the keyboard focus before
  std::size_t strokes = 0;      // keys pressed and released
  std::size_t map_changes = 0;  // times that spare keycodes were bound
  Evidence evidence =
      Evidence::Nothing;        // of the program reading them; asked for only after a binding
  bool restored_later = false;  // the program is busy: its spare keycodes are kept for some seconds
};

/// Thread safe; one text or chord sequence at a time.
class Keyboard final : public Listener {
 public:
  explicit Keyboard(X11Connection& connection) : connection_(connection) {}

  /// Presses chords (see chord.hpp) `count` times. Errors: invalid_argument, failed_precondition
  /// (nothing has the focus; no spare keycode), unavailable, cancelled. [may block]
  Result<KeyboardOutcome> press(std::string_view keys, int count, const Patience& patience);
  /// Types any Unicode text. Errors as above. [may block: about 1 ms for 50 mapped characters]
  Result<KeyboardOutcome> type(std::string_view utf8, const Patience& patience);
  /// Takes spare keycodes off that a busy program was given time for. Called by a timer, and with
  /// `now` by stop.
  void maintain(bool now = false);

  void on_connected(const SessionPtr& session) override;
  void on_event(const SessionPtr&, const xcb_generic_event_t&) override {}

 private:
  struct Typing;
  Result<void> run_batch(Typing& typing, const TypingBatch& batch, KeyboardOutcome& outcome,
                         const Patience& patience);
  Result<void> press_chord(Typing& typing, const Chord& chord, KeyboardOutcome& outcome,
                           const Patience& patience);
  Result<void> bind(Typing& typing, const std::vector<SpareKey>& spare, KeyboardOutcome& outcome,
                    const Patience& patience);
  Result<void> release(Typing& typing, KeyboardOutcome& outcome, const Patience& patience);

  X11Connection& connection_;
  std::mutex mutex_;
  // Spare keycodes whose program had not read its keys yet, until when they are kept.
  std::vector<SpareKey> kept_;
  std::uint64_t kept_generation_ = 0;
  std::int64_t kept_until_ns_ = 0;
};

}  // namespace gantry::x11
