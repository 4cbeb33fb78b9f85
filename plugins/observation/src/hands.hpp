// SPDX-License-Identifier: Apache-2.0
#pragma once
// The movements that acts are made of: through the toolkit, with the pointer, with the keyboard.

#include <functional>
#include <optional>
#include <string>

#include "act.hpp"

namespace gantry::observation {

/// Where a native act needs more than its verb.
struct NativeDetail {
  std::string action;  ///< Do: the action's name.
  std::string text;    ///< SetText, InsertText.
  double value = 0;    ///< SetValue.
};

/// Asks the toolkit to act on the element. Nothing when it cannot, so that another way may be
/// tried; a toolkit that does not answer in time is a deed whose effect nobody knows, never tried
/// twice. ElementNotFound when the element is gone.
Task<Outcome<std::optional<Deed>>> native_act(Act& act, A11yVerb verb, NativeDetail detail);
Task<Outcome<std::optional<Deed>>> native_act(Act& act, A11yVerb verb);

/// The name of the element's chosen child, by the toolkit's own word; nothing where it tells none.
Task<std::optional<std::string>> chosen_child(Act& act);

inline constexpr std::string_view kLeftButton = "left";
/// Clicks a point of the element that can be seen.
Task<Outcome<Deed>> click_on(Act& act, std::string_view button, std::int32_t count);
/// Moves the pointer there.
Task<Outcome<Deed>> move_over(Act& act);

/// Types or presses keys into whatever has the focus; for after take_focus().
Task<Outcome<Deed>> send_text(Act& act, std::string text);
Task<Outcome<Deed>> send_keys(Act& act, std::string keys);

/// Gives the element the keyboard focus and reads back that it has it: activates the window, asks
/// the toolkit, then clicks where a click does nothing else. PatternUnsupported when the element
/// does not get it; then nothing may be typed.
Task<Outcome<Deed>> take_focus(Act& act);

/// Reads the element again until it is as wanted, for up to a second: a busy application shows late
/// what was typed into it. False: it never was, and the last reading is in the act.
Task<bool> look_until(Act& act, const std::function<bool(const Node&)>& wanted);

/// What the adapter says it delivered. Internal when it did not deliver.
[[nodiscard]] Outcome<Deed> delivered(const Answer<InputReceipt>& answer);

}  // namespace gantry::observation
