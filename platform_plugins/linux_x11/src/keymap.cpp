// SPDX-License-Identifier: Apache-2.0
#include "keymap.hpp"

#include <xkbcommon/xkbcommon-keysyms.h>

#include <algorithm>
#include <bit>

namespace gantry::x11 {

namespace {

constexpr int kMaxGroups = 4;

/// Keysyms whose key sets a modifier only while it is down.
bool holds_modifier(xkb_keysym_t keysym) {
  switch (keysym) {
    case XKB_KEY_Caps_Lock:
    case XKB_KEY_Shift_Lock:
    case XKB_KEY_Num_Lock:
    case XKB_KEY_Scroll_Lock:
    case XKB_KEY_ISO_Lock:
    case XKB_KEY_ISO_Level3_Lock:
    case XKB_KEY_ISO_Level3_Latch:
    case XKB_KEY_ISO_Level5_Lock:
    case XKB_KEY_ISO_Level5_Latch: return false;
    default:
      return (keysym >= XKB_KEY_Shift_L && keysym <= XKB_KEY_Hyper_R) ||
             keysym == XKB_KEY_Mode_switch || keysym == XKB_KEY_ISO_Level3_Shift ||
             keysym == XKB_KEY_ISO_Level5_Shift;
  }
}

}  // namespace

int Key::effective_group(int group) const {
  const int count = groups();
  if (count == 0) return -1;
  if (group < count) return group;
  constexpr std::uint8_t kClamp = 0x40;
  constexpr std::uint8_t kRedirect = 0x80;
  if ((group_info & kRedirect) != 0) {
    const int target = (group_info >> 4) & 0x03;
    return target < count ? target : 0;
  }
  if ((group_info & kClamp) != 0) return count - 1;
  return group % count;
}

bool Key::is_empty() const {
  return std::all_of(keysyms.begin(), keysyms.end(),
                     [](xkb_keysym_t k) { return k == XKB_KEY_NoSymbol; });
}

void Keymap::index() {
  by_keysym_.clear();
  by_character_.clear();
  for (int keycode = min_keycode; keycode <= max_keycode; ++keycode) {
    const Key& key = keys[static_cast<std::size_t>(keycode)];
    for (int group = 0; group < key.groups(); ++group) {
      for (int level = 0; level < key.width; ++level) {
        const xkb_keysym_t keysym = key.at(group, level);
        if (keysym == XKB_KEY_NoSymbol) continue;
        const Place place{static_cast<std::uint8_t>(keycode), static_cast<std::uint8_t>(group),
                          static_cast<std::uint8_t>(level)};
        by_keysym_[keysym].push_back(place);
        const bool keypad = keysym >= XKB_KEY_KP_Space && keysym <= XKB_KEY_KP_Equal;
        const char32_t character = xkb_keysym_to_utf32(keysym);
        // Keypad keys depend on NumLock and may mean something else to a program; control
        // characters are typed by their own keys.
        if (character >= 0x20 && character != 0x7F && !keypad)
          by_character_[character].push_back(place);
      }
    }
  }
}

std::optional<std::uint8_t> Keymap::modifiers_for(const Key& key, int group, int level) const {
  const std::size_t type_index = key.types[static_cast<std::size_t>(group)];
  if (type_index >= types.size()) return level == 0 ? std::optional<std::uint8_t>(0) : std::nullopt;
  const KeyType& type = types[type_index];
  if (level >= type.levels) return std::nullopt;
  const auto level_of = [&](std::uint8_t modifiers) {
    for (const KeyType::Entry& entry : type.entries) {
      if (entry.active && entry.modifiers == modifiers) return static_cast<int>(entry.level);
    }
    return 0;
  };
  if (level_of(0) == level) return std::uint8_t{0};
  std::optional<std::uint8_t> best;
  const auto cost = [](std::uint8_t modifiers) {
    // A lock has to be switched on and off again, so it counts more than holding three keys.
    return std::popcount(modifiers) + ((modifiers & kLock) != 0 ? 8 : 0);
  };
  for (const KeyType::Entry& entry : type.entries) {
    if (!entry.active || entry.level != level) continue;
    if (!best || cost(entry.modifiers) < cost(*best)) best = entry.modifiers;
  }
  return best;
}

std::optional<Stroke> Keymap::stroke_for(const Place& place, int keyboard_group) const {
  const Key& key = keys[place.keycode];
  if (key.effective_group(keyboard_group) != place.group) return std::nullopt;
  const auto modifiers = modifiers_for(key, place.group, place.level);
  if (!modifiers) return std::nullopt;
  const std::size_t type = key.types[place.group];
  const std::uint8_t mask = type < types.size() ? types[type].mask : std::uint8_t{0};
  return Stroke{place.keycode, *modifiers, mask, static_cast<std::uint8_t>(keyboard_group)};
}

std::optional<Stroke> Keymap::best(const std::vector<Place>* places, int group) const {
  if (places == nullptr) return std::nullopt;
  // The current group, then the others from the first: -1 stands for the current one.
  for (int other = -1; other < kMaxGroups; ++other) {
    const int candidate = other < 0 ? group : other;
    std::optional<Stroke> found;
    for (const Place& place : *places) {
      const auto stroke = stroke_for(place, candidate);
      if (stroke && (!found || std::popcount(stroke->modifiers) < std::popcount(found->modifiers)))
        found = stroke;
    }
    if (found) return found;
  }
  return std::nullopt;
}

std::optional<Stroke> Keymap::find_keysym(xkb_keysym_t keysym, int group) const {
  const auto it = by_keysym_.find(keysym);
  return best(it == by_keysym_.end() ? nullptr : &it->second, group);
}

std::optional<Stroke> Keymap::find_character(char32_t character, int group) const {
  const auto it = by_character_.find(character);
  return best(it == by_character_.end() ? nullptr : &it->second, group);
}

std::optional<std::uint8_t> Keymap::holder_of(std::uint8_t modifier) const {
  for (int keycode = min_keycode; keycode <= max_keycode; ++keycode) {
    const auto index = static_cast<std::size_t>(keycode);
    if (modmap[index] == modifier && holds_modifier(keys[index].at(0, 0)))
      return static_cast<std::uint8_t>(keycode);
  }
  return std::nullopt;
}

std::vector<std::uint8_t> Keymap::spare_keycodes() const {
  std::vector<std::uint8_t> spare;
  for (int keycode = std::max<int>(min_keycode, 8); keycode <= max_keycode; ++keycode) {
    const auto index = static_cast<std::size_t>(keycode);
    if (modmap[index] == 0 && keys[index].is_empty())
      spare.push_back(static_cast<std::uint8_t>(keycode));
  }
  return spare;
}

}  // namespace gantry::x11
