// SPDX-License-Identifier: Apache-2.0
//
// A small keyboard made by hand: two groups, shift and level-three keys, a few spare keycodes.
#pragma once

#include "keymap.hpp"

#include <xkbcommon/xkbcommon-keysyms.h>

namespace gantry::x11::testing {

// Keycodes of the keyboard below.
inline constexpr std::uint8_t kCodeA = 38;    // a A | Cyrillic_ef, Cyrillic_EF
inline constexpr std::uint8_t kCodeOne = 10;  // 1 ! (both groups)
inline constexpr std::uint8_t kCodeE = 26;    // e E EuroSign
inline constexpr std::uint8_t kCodeReturn = 36;
inline constexpr std::uint8_t kCodeTab = 23;
inline constexpr std::uint8_t kCodeShift = 50;
inline constexpr std::uint8_t kCodeCaps = 66;
inline constexpr std::uint8_t kCodeControl = 37;
inline constexpr std::uint8_t kCodeLevel3 = 108;
inline constexpr std::uint8_t kCodeKeypad5 = 84;

enum Type : std::uint8_t { kOneLevel, kTwoLevelType, kAlphabetic, kKeypadType, kFourLevel };

inline Keymap synthetic_keymap(std::size_t spare = 3) {
  Keymap map;
  map.min_keycode = 8;
  map.max_keycode = 120;
  map.types = {
      {0, 1, {}},
      {kShift, 2, {{kShift, 1, true}}},
      {kShift | kLock, 2, {{kShift, 1, true}, {kLock, 1, true}}},
      {kShift | kMod2, 2, {{kShift, 1, true}, {kMod2, 1, true}}},
      {kShift | kMod5, 4, {{kShift, 1, true}, {kMod5, 2, true}, {kShift | kMod5, 3, true}}},
  };
  // Every keycode is taken unless it is one of the last `spare`.
  for (std::size_t code = map.min_keycode; code + spare <= map.max_keycode; ++code) {
    map.keys[code] = {1, 1, {kOneLevel}, {XKB_KEY_VoidSymbol}};
  }
  map.keys[kCodeA] = {2,
                      2,
                      {kAlphabetic, kAlphabetic},
                      {XKB_KEY_a, XKB_KEY_A, XKB_KEY_Cyrillic_ef, XKB_KEY_Cyrillic_EF}};
  map.keys[kCodeOne] = {1, 2, {kTwoLevelType}, {XKB_KEY_1, XKB_KEY_exclam}};
  map.keys[kCodeE] = {
      1, 4, {kFourLevel}, {XKB_KEY_e, XKB_KEY_E, XKB_KEY_EuroSign, XKB_KEY_NoSymbol}};
  map.keys[kCodeReturn] = {1, 1, {kOneLevel}, {XKB_KEY_Return}};
  map.keys[kCodeTab] = {1, 2, {kTwoLevelType}, {XKB_KEY_Tab, XKB_KEY_ISO_Left_Tab}};
  map.keys[kCodeShift] = {1, 1, {kOneLevel}, {XKB_KEY_Shift_L}};
  map.keys[kCodeCaps] = {1, 1, {kOneLevel}, {XKB_KEY_Caps_Lock}};
  map.keys[kCodeControl] = {1, 1, {kOneLevel}, {XKB_KEY_Control_L}};
  map.keys[kCodeLevel3] = {1, 1, {kOneLevel}, {XKB_KEY_ISO_Level3_Shift}};
  map.keys[kCodeKeypad5] = {1, 2, {kKeypadType}, {XKB_KEY_KP_Begin, XKB_KEY_KP_5}};
  map.modmap[kCodeShift] = kShift;
  map.modmap[kCodeCaps] = kLock;
  map.modmap[kCodeControl] = kControl;
  map.modmap[kCodeLevel3] = kMod5;
  map.index();
  return map;
}

}  // namespace gantry::x11::testing
