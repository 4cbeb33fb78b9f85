// SPDX-License-Identifier: Apache-2.0
//
// From text to key strokes. Characters that the keyboard map has are typed as a person would; the
// others are given spare keycodes, as many at once as there are, because each change of the map
// costs every client (a window manager 72 ms). Pure.
#pragma once

#include "keymap.hpp"

#include <gantry/result.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace gantry::x11 {

/// A spare keycode and the keysyms it shall carry: without and with Shift (0: only one).
struct SpareKey {
  std::uint8_t keycode = 0;
  std::array<xkb_keysym_t, 2> keysyms{};
  friend bool operator==(const SpareKey&, const SpareKey&) = default;
};

/// One stretch of text that is typed under one keyboard map.
struct TypingBatch {
  std::vector<SpareKey> spare_keys;  // to bind first; empty: the map as it is will do
  std::vector<Stroke> strokes;
};

/// Checks the text and cuts it into batches. "\n" and "\r\n" become Return, "\t" Tab.
/// Errors: invalid_argument (not UTF-8, or a control character: which and where),
/// failed_precondition (characters without a key, and the map has no spare keycode).
Result<std::vector<TypingBatch>> plan_typing(const Keymap& keymap, int group,
                                             std::string_view utf8);

/// The stroke for one keysym of a chord, through a spare keycode when the map lacks it.
struct KeyPlan {
  Stroke stroke;
  std::vector<SpareKey> spare_keys;
};
Result<KeyPlan> plan_key(const Keymap& keymap, int group, xkb_keysym_t keysym);

}  // namespace gantry::x11
