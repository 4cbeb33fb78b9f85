// SPDX-License-Identifier: Apache-2.0
//
// Pointer and keyboard. An adapter does what it is told and reports what reached the display; who
// may act, in which order and with which receipt is decided in the engine.
#pragma once

#include <gantry/contracts/common.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gantry {

enum class PointerAction : std::uint8_t { Move, Click, Press, Release, Scroll, Drag };
BOOST_DESCRIBE_ENUM(PointerAction, Move, Click, Press, Release, Scroll, Drag)

struct PointerRequest {
  PointerAction action = PointerAction::Click;
  std::optional<std::int32_t> x;  // screen pixels; both or neither (then where the pointer is)
  std::optional<std::int32_t> y;
  std::string button = "left";       // left, middle, right, back, forward
  std::int32_t count = 1;            // clicks
  std::int32_t scroll_y = 0;         // wheel steps, positive is up
  std::int32_t scroll_x = 0;         // wheel steps, positive is right
  std::optional<std::int32_t> to_x;  // Drag
  std::optional<std::int32_t> to_y;
  std::int32_t duration_ms = 0;        // Drag and Move: time on the way
  std::vector<std::string> modifiers;  // held meanwhile: ctrl, shift, alt, super
  ActIntent intent = {};
};
BOOST_DESCRIBE_STRUCT(PointerRequest, (),
                      (action, x, y, button, count, scroll_y, scroll_x, to_x, to_y, duration_ms,
                       modifiers, intent))

/// What reached the display. `window` is the handle of the top-level window under the point.
struct InputReceipt {
  bool delivered = false;
  std::string route;     // "xtest", "mock", "scenario", …
  std::string evidence;  // what was read back, for example the pointer's position
  std::string window;
  std::int32_t x = 0;  // where the pointer is afterwards
  std::int32_t y = 0;
  std::string note;
};
BOOST_DESCRIBE_STRUCT(InputReceipt, (), (delivered, route, evidence, window, x, y, note))

/// Errors: out_of_range (the point is on no monitor; the message names their bounds),
/// invalid_argument (unknown button), unavailable.
struct PointerInput {
  static constexpr std::string_view kName = "gantry.input.pointer/1";
  static constexpr std::string_view kDoc =
      "Moves, clicks, drags or scrolls at a point of the screen.";
  using Request = PointerRequest;
  using Response = InputReceipt;
};

struct KeyRequest {
  std::string keys;        // "ctrl+shift+n", "enter", "f5"
  std::int32_t count = 1;  // presses
  ActIntent intent = {};
};
BOOST_DESCRIBE_STRUCT(KeyRequest, (), (keys, count, intent))

/// Errors: invalid_argument (unknown key name, with near matches), unavailable.
struct KeyInput {
  static constexpr std::string_view kName = "gantry.input.key/1";
  static constexpr std::string_view kDoc = "Presses a key or a combination of keys.";
  using Request = KeyRequest;
  using Response = InputReceipt;
};

struct TextRequest {
  std::string text;  // UTF-8, any Unicode
  ActIntent intent = {};
};
BOOST_DESCRIBE_STRUCT(TextRequest, (), (text, intent))

/// Errors: invalid_argument (control characters other than tab and newline), unavailable.
struct TextInput {
  static constexpr std::string_view kName = "gantry.input.text/1";
  static constexpr std::string_view kDoc = "Types text into whatever has the keyboard focus.";
  using Request = TextRequest;
  using Response = InputReceipt;
};

}  // namespace gantry
