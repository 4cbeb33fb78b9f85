// SPDX-License-Identifier: Apache-2.0
//
// Turnaround: has the program that got our keys taken them off its queue? Programs look the
// keyboard map up when they read a key, not when it was pressed; taking a character off its keycode
// before that loses it. A program that answers _NET_WM_PING does so in the order of its events,
// which is proof; for the others it counts that the window drew something and went quiet.
#pragma once

#include "connection.hpp"
#include "damage_watch.hpp"

#include <string_view>

namespace gantry::x11 {

enum class Evidence { Answered, Drew, Nothing };

class Turnaround {
 public:
  /// `focus` is the window with the keyboard focus. Created before the keys are sent.
  /// [may block: a few round trips]
  Turnaround(X11Connection& connection, SessionPtr session, xcb_window_t focus);
  Turnaround(const Turnaround&) = delete;
  Turnaround& operator=(const Turnaround&) = delete;

  /// Waits for evidence that everything sent so far was read. [may block: as long as the program
  /// takes, at most 2 s; 300 ms when it neither answers pings nor draws]
  Evidence wait(const Patience& patience);
  [[nodiscard]] bool answers_pings() const { return answers_pings_; }

 private:
  Evidence wait_for_answer(const Patience& patience);
  Evidence wait_for_drawing(const Patience& patience);

  X11Connection& connection_;
  SessionPtr session_;
  xcb_window_t top_level_ = XCB_NONE;
  bool answers_pings_ = false;
  DamageWatch drawing_;
};

}  // namespace gantry::x11
