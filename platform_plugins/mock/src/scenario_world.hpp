// SPDX-License-Identifier: Apache-2.0
#pragma once
// Plays a scenario: windows, trees and pictures of the current state, and the reactions to what is
// done to them (observer contract 2.13). Used from one strand.

#include <gantry/contracts/a11y.hpp>
#include <gantry/contracts/input.hpp>
#include <gantry/contracts/scenario.hpp>
#include <gantry/contracts/window.hpp>

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scenario.hpp"

namespace gantry::mock {

/// An element of the current state.
struct Element {
  const WindowSpec* window = nullptr;
  const NodeSpec* node = nullptr;
  std::string native;  ///< As A11yNode::native.
};

/// What an act looks like to the reactions.
struct Act {
  std::vector<std::string_view> tools;  ///< Every name that a trigger may call it by.
  std::string element;                  ///< Native reference; empty: none.
  std::optional<std::string> text;      ///< What was typed, or the keys.
};

/// What came of an act.
struct Outcome {
  const Reaction* reaction = nullptr;  ///< nullptr: nothing in the scenario reacts to it.
  bool moved = false;                  ///< Another state is shown now.
  /// Why the reaction was not carried out, and nothing was changed; empty: it was.
  std::string refused;
};

/// Longest value that a reaction may set unless the configuration says otherwise, bytes.
inline constexpr std::size_t kMaxValueBytes = 1U << 20U;

class ScenarioWorld {
 public:
  /// Starts in the initial state; nothing is remembered from an earlier run.
  explicit ScenarioWorld(Scenario scenario, std::size_t max_value_bytes = kMaxValueBytes);

  /// Bottom to top: the first window of the file is on top and has the focus, until another one is
  /// raised.
  [[nodiscard]] WindowList windows() const;
  [[nodiscard]] const WindowSpec* find_window(std::string_view handle) const;
  [[nodiscard]] A11yTree tree(const WindowSpec& window) const;

  /// The element of a native reference, as long as the current state has it.
  [[nodiscard]] std::optional<Element> find_element(std::string_view native) const;
  /// The deepest enabled element at a point of the screen; nothing on bare ground.
  [[nodiscard]] std::optional<Element> element_at(std::int32_t x, std::int32_t y) const;
  /// Where typed text goes: the element that was acted on last.
  [[nodiscard]] const std::string& focus() const { return focus_; }
  [[nodiscard]] bool is_focused(const WindowSpec& window, std::string_view native) const;

  /// What the element holds now: as set, else as in the file.
  [[nodiscard]] std::optional<std::string> value_of(const Element& element) const;

  /// The element takes the focus of the keyboard.
  void focus(std::string_view native);
  /// Puts the window on top and gives it the focus.
  void raise(const WindowSpec& window);
  /// Runs the first reaction, in the order of the file, that fits.
  Outcome act(const Act& act);

  [[nodiscard]] const StateSpec& state() const { return scenario_.states[state_]; }
  [[nodiscard]] ScenarioReport report() const;
  /// Grows with everything that changes what is seen.
  [[nodiscard]] std::uint64_t serial() const { return serial_; }
  [[nodiscard]] const Scenario& scenario() const { return scenario_; }
  /// Windows of the current state, the top one first.
  [[nodiscard]] std::vector<const WindowSpec*> top_down() const;

 private:
  [[nodiscard]] std::string handle_of(const WindowSpec& window) const;
  [[nodiscard]] std::optional<Element> by_spec_id(std::string_view id) const;
  [[nodiscard]] std::string held_by(std::string_view id) const;
  [[nodiscard]] bool fits(const Reaction& reaction, const Act& act,
                          std::optional<std::string>& text) const;
  /// What an assignment sets; nothing when that is too long.
  [[nodiscard]] std::optional<std::string> filled(const Assignment& assignment,
                                                  const std::optional<std::string>& text) const;
  void set(const Assignment& assignment, std::string value);
  /// Carries out all assignments, or none.
  [[nodiscard]] std::string set_all(const Reaction& reaction,
                                    const std::optional<std::string>& text);

  Scenario scenario_;
  std::size_t max_value_bytes_;
  std::size_t state_ = 0;
  std::string front_;  ///< Uid of the window that was raised; empty: the first.
  std::string focus_;
  /// By window uid and the scenario's id; survives changes of state.
  std::map<std::pair<std::string, std::string>, std::string> values_;
  std::uint64_t serial_ = 1;
  std::uint64_t acts_ = 0;
  std::uint64_t reactions_ = 0;
};

/// The reference that the accessibility tree gives to clients of the adapter: by the scenario's id
/// when there is one, else by position, role and name, so that it does not mean another element
/// after a change of state.
[[nodiscard]] std::string native_of(const WindowSpec& window, const NodeSpec& node,
                                    std::string_view position);

}  // namespace gantry::mock
