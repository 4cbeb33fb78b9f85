// SPDX-License-Identifier: Apache-2.0
//
// Keymap: the XKB map of the server as plain data, and the questions typing asks of it. Pure; it is
// read from the server by keymap_server.hpp and made by hand in tests.
#pragma once

#include "chord.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

namespace gantry::x11 {

/// Which modifiers choose which level of a key (XKB protocol, section 7.2).
struct KeyType {
  struct Entry {
    std::uint8_t modifiers = 0;  // real ones; virtual ones are resolved by the server
    std::uint8_t level = 0;
    bool active = true;  // false: a virtual modifier of it is bound to nothing
  };
  std::uint8_t mask = 0;  // the modifiers that the type looks at
  std::uint8_t levels = 1;
  std::vector<Entry> entries;  // combinations without an entry mean level 0
};

struct Key {
  std::uint8_t group_info =
      0;  // as on the wire: groups in bits 0-3, out-of-range rule in 6-7, group in 4-5
  std::uint8_t width = 0;               // levels of the widest group
  std::array<std::uint8_t, 4> types{};  // per group, index into Keymap::types
  std::vector<xkb_keysym_t> keysyms;    // group * width + level

  [[nodiscard]] int groups() const { return group_info & 0x0F; }
  [[nodiscard]] xkb_keysym_t at(int group, int level) const {
    const auto index = static_cast<std::size_t>(group) * width + static_cast<std::size_t>(level);
    return index < keysyms.size() ? keysyms[index] : XKB_KEY_NoSymbol;
  }
  /// The group a key really uses when the keyboard is in `group` (XKB protocol, section 7.2.2).
  [[nodiscard]] int effective_group(int group) const;
  [[nodiscard]] bool is_empty() const;
  friend bool operator==(const Key&, const Key&) = default;
};

/// One way to make a keysym.
struct Stroke {
  std::uint8_t keycode = 0;
  std::uint8_t modifiers = 0;  // to be down, of those in `mask`
  std::uint8_t mask = 0;       // modifiers that matter to the key: the others may stay as they are
  std::uint8_t group = 0;      // keyboard group to be in
  friend bool operator==(const Stroke&, const Stroke&) = default;
};

class Keymap {
 public:
  std::uint8_t min_keycode = 8;
  std::uint8_t max_keycode = 255;
  std::vector<KeyType> types;
  std::array<Key, 256> keys;
  std::array<std::uint8_t, 256> modmap{};  // real modifiers of each keycode

  /// Builds the index; to be called when the fields above are complete.
  void index();

  /// The simplest stroke for a keysym: current group first, then other groups; fewest modifiers.
  [[nodiscard]] std::optional<Stroke> find_keysym(xkb_keysym_t keysym, int group) const;
  /// The same for the keys that insert a character, whichever keysym of it the map uses.
  [[nodiscard]] std::optional<Stroke> find_character(char32_t character, int group) const;
  /// The modifiers for a level, nothing when the level cannot be reached.
  [[nodiscard]] std::optional<std::uint8_t> modifiers_for(const Key& key, int group,
                                                          int level) const;
  /// A key that sets exactly one real modifier while it is down (Shift_L, ISO_Level3_Shift, …);
  /// locks do not count. Nothing when the map has none.
  [[nodiscard]] std::optional<std::uint8_t> holder_of(std::uint8_t modifier) const;
  /// Keycodes without keysyms and modifiers, lowest first.
  [[nodiscard]] std::vector<std::uint8_t> spare_keycodes() const;

 private:
  struct Place {
    std::uint8_t keycode;
    std::uint8_t group;
    std::uint8_t level;
  };
  [[nodiscard]] std::optional<Stroke> best(const std::vector<Place>* places, int group) const;
  [[nodiscard]] std::optional<Stroke> stroke_for(const Place& place, int keyboard_group) const;

  std::unordered_map<xkb_keysym_t, std::vector<Place>> by_keysym_;
  std::unordered_map<char32_t, std::vector<Place>> by_character_;
};

}  // namespace gantry::x11
