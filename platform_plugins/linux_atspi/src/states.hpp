// SPDX-License-Identifier: Apache-2.0
// AT-SPI state bits (at-spi2-core, AtspiStateType) and their names.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace gantry::atspi {

/// Bit numbers as they travel in `GetState` and `GetItems` (two 32-bit words, low word first).
enum class State : unsigned {
  kActive = 1,
  kChecked = 4,
  kCollapsed = 5,
  kDefunct = 6,
  kEditable = 7,
  kEnabled = 8,
  kExpandable = 9,
  kExpanded = 10,
  kFocusable = 11,
  kFocused = 12,
  kModal = 16,
  kMultiLine = 17,
  kPressed = 20,
  kSelectable = 22,
  kSelected = 23,
  kSensitive = 24,
  kShowing = 25,
  kTransient = 28,
  kVisible = 30,
  kManagesDescendants = 31,
  kIndeterminate = 32,
  kCheckable = 41,
  kReadOnly = 43,
};

class StateSet {
 public:
  constexpr StateSet() = default;
  constexpr explicit StateSet(std::uint64_t bits) : bits_(bits) {}
  constexpr StateSet(std::uint32_t low, std::uint32_t high)
      : bits_(static_cast<std::uint64_t>(high) << 32U | low) {}

  constexpr bool has(State state) const { return (bits_ & mask(state)) != 0; }
  constexpr void set(State state, bool on) {
    bits_ = on ? bits_ | mask(state) : bits_ & ~mask(state);
  }
  constexpr std::uint64_t bits() const { return bits_; }

  /// Drawn on screen now: SHOWING and VISIBLE. Items of a closed menu are not.
  constexpr bool showing() const { return has(State::kShowing) && has(State::kVisible); }
  /// ENABLED or SENSITIVE: GTK 4 reports only SENSITIVE.
  constexpr bool enabled() const { return has(State::kEnabled) || has(State::kSensitive); }

  friend constexpr bool operator==(StateSet, StateSet) = default;

 private:
  static constexpr std::uint64_t mask(State state) {
    return std::uint64_t{1} << static_cast<unsigned>(state);
  }
  std::uint64_t bits_ = 0;
};

/// Names of the set bits in bit order, in the spelling of events ("multi-line", "focused").
std::vector<std::string_view> state_names(StateSet states);

/// The bit that an `object:state-changed:<name>` event names; -1 when unknown.
int state_bit(std::string_view name);

}  // namespace gantry::atspi
