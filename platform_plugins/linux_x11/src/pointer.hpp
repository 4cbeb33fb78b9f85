// SPDX-License-Identifier: Apache-2.0
//
// Pointer: moves, clicks, drags and scrolls by XTest at absolute root pixels, and reads back where
// the pointer is and what lies under it.
#pragma once

#include "connection.hpp"
#include "monitors.hpp"
#include "windows.hpp"

#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gantry::x11 {

struct PointerOutcome {
  Point position;                  // where the pointer is afterwards, read from the server
  xcb_window_t window = XCB_NONE;  // top-level window under the point where the act began
  bool buttons_up = true;          // no button is down afterwards
};

struct ButtonName {
  std::string_view name;
  std::uint8_t button;  // X11 numbers
};
/// left 1, middle 2, right 3, back 8, forward 9.
const std::vector<ButtonName>& button_names();
/// Errors: invalid_argument with the names there are.
Result<std::uint8_t> button_of_name(std::string_view name);

/// Thread safe; one act at a time. Errors of all: out_of_range (the point is on no monitor),
/// invalid_argument, unavailable (no XTEST), internal (the pointer did not arrive: something grabs
/// or confines it). [may block: a few round trips, drag and timed moves for their duration]
class Pointer {
 public:
  explicit Pointer(X11Connection& connection) : connection_(connection) {}

  struct At {
    std::optional<Point> point;            // none: where the pointer is
    std::vector<std::string> modifiers;    // held meanwhile
    std::chrono::nanoseconds duration{0};  // of the way, for move and drag
  };
  Result<PointerOutcome> move(const At& at, const Patience& patience);
  Result<PointerOutcome> click(const At& at, std::string_view button, int count,
                               const Patience& patience);
  Result<PointerOutcome> press(const At& at, std::string_view button, const Patience& patience);
  Result<PointerOutcome> release(const At& at, std::string_view button, const Patience& patience);
  /// Presses at `at`, moves to `to` in small steps, releases there also when cancelled.
  Result<PointerOutcome> drag(const At& at, Point to, std::string_view button,
                              const Patience& patience);
  /// Wheel steps; up and right are positive.
  Result<PointerOutcome> scroll(const At& at, int up, int right, const Patience& patience);
  /// Returns when no act is under way: whoever was cancelled has let go of button and keys.
  /// [may block: as long as an act takes to end]
  void wait() { const std::lock_guard lock(mutex_); }

 private:
  class Act;
  X11Connection& connection_;
  std::mutex mutex_;
  /// Buttons that press() left down, in the session of that generation.
  std::vector<std::uint8_t> kept_;
  std::uint64_t kept_generation_ = 0;
};

}  // namespace gantry::x11
