// SPDX-License-Identifier: Apache-2.0
//
// What a caller writes for keys: "ctrl+shift+n", "alt+f4", "enter", "+", and several chords after
// one another: "ctrl+k ctrl+s". Pure.
//
//   keys   = chord *( " " chord )
//   chord  = *( modifier "+" ) key
//   key    = a name of key_names(), an X keysym name ("Cyrillic_a"), or one character
//
// A single space is the space bar and a single "+" the plus key, also after modifiers ("ctrl++").
// Names are read without regard to case, "-" and "_" in names alike.
#pragma once

#include <gantry/result.hpp>

#include <xkbcommon/xkbcommon.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gantry::x11 {

struct KeyName {
  std::string_view name;
  xkb_keysym_t keysym;
};

/// Every name and alias that is accepted besides keysym names and characters.
std::span<const KeyName> key_names();

/// Real modifiers as X11 counts them.
enum ModifierBit : std::uint8_t {
  kShift = 1,
  kLock = 2,
  kControl = 4,
  kMod1 = 8,
  kMod2 = 16,
  kMod3 = 32,
  kMod4 = 64,
  kMod5 = 128
};

struct Chord {
  std::vector<xkb_keysym_t>
      modifiers;  // keysyms to hold, in the order written: Control_L, Shift_L, …
  xkb_keysym_t key = XKB_KEY_NoSymbol;
  bool key_is_modifier = false;  // "shift" alone
};

/// Errors: invalid_argument; an unknown name is answered with the names nearest to it.
Result<std::vector<Chord>> parse_keys(std::string_view text);

/// The keysym of one name or character, nothing when there is none.
std::optional<xkb_keysym_t> keysym_of_name(std::string_view name);
/// The modifier keysym (left-hand key) of "ctrl", "cmd", …, nothing when it is no modifier.
std::optional<xkb_keysym_t> modifier_of_name(std::string_view name);

/// At most five names near to `name`, nearest first.
std::vector<std::string> near_key_names(std::string_view name);

/// The keysym that inserts a code point: Latin-1 as it is, others 0x01000000 | code point.
constexpr xkb_keysym_t keysym_of_code_point(char32_t c) {
  const bool latin1 = (c >= 0x20 && c <= 0x7E) || (c >= 0xA0 && c <= 0xFF);
  return latin1 ? static_cast<xkb_keysym_t>(c) : 0x01000000U | static_cast<xkb_keysym_t>(c);
}

}  // namespace gantry::x11
