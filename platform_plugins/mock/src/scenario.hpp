// SPDX-License-Identifier: Apache-2.0
#pragma once
// A scenario: a made-up desktop that reacts (observer contract 2.13). This is what the file says;
// scenario_world.hpp plays it.

#include <gantry/contracts/common.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "regex.hpp"

namespace gantry::mock {

struct NodeSpec {
  std::string role = "Unknown";
  std::string name;
  std::optional<std::string> value;
  std::string id;  ///< The scenario's own, for reactions; clients see positional ids.
  Rect bounds;     ///< Of the window when the file names none.
  bool enabled = true;
  bool secret = false;  ///< Treated as a password field: what it holds is never told.
  std::optional<bool> selected;
  std::optional<bool> expanded;
  std::string description;
  std::string keyboard_shortcut;
  std::vector<NodeSpec> children;
};

struct WindowSpec {
  std::string uid;
  std::string title;
  std::string process = "scenario.exe";
  std::int64_t pid = 0;
  Rect bounds{0, 0, 800, 600};
  NodeSpec tree;
};

struct StateSpec {
  std::string name;
  std::vector<WindowSpec> windows;  ///< The first is on top and has the focus.
};

/// What an act must be to be reacted to; what is not given matches everything.
struct Trigger {
  std::string tool;
  std::string target_id;
  std::string target_name;
  std::optional<Regex> text_regex;
};

struct Condition {
  std::string id;
  std::optional<std::string> value;     ///< Must be equal.
  std::optional<bool> value_not_empty;  ///< Must hold, or must not.
};

struct Assignment {
  std::string id;
  std::string value;  ///< {text} stands for what the trigger's expression matched.
};

struct Reaction {
  int line = 0;
  Trigger on;
  std::vector<Condition> when;  ///< All must hold.
  std::vector<Assignment> set;
  std::string transition_to;  ///< Empty: stays.
};

struct Scenario {
  std::string name = "scenario";
  std::string path;
  std::size_t initial = 0;  ///< Index in `states`.
  /// The element that was acted on last has the focus, as on a real desktop. The published program
  /// shows none; a file that relies on that turns it off.
  bool show_focus = true;
  std::vector<StateSpec> states;
  std::vector<Reaction> reactions;
  std::string oracles = "{}";         ///< JSON: {"success": […], "failure": […]}
  std::vector<std::string> warnings;  ///< What can never happen, such as an id that is nowhere.

  [[nodiscard]] const StateSpec* find_state(std::string_view state) const;
};

/// Why a file is no scenario.
struct ScenarioProblem {
  std::string file;
  int line = 0;      ///< 0: the file as a whole.
  std::string path;  ///< "states.start.windows[0].tree.role"; empty: the file as a whole.
  std::string what;  ///< The sentence: what is wrong and what to do.
  std::string found;
  std::string allowed;

  /// "login.yaml:12: states.start.windows: …"
  [[nodiscard]] std::string message() const;
};

/// Limits on a file, so that a hostile one costs milliseconds.
struct ScenarioLimits {
  std::size_t bytes = 1U << 20U;
  std::size_t values = 50'000;
  int depth = 64;
  std::int32_t pixels = 16'384;  ///< Largest coordinate and extent, both signs.
};

/// Reads the text of a scenario file. `file` is only for messages. Pure; safe on any thread.
[[nodiscard]] std::variant<Scenario, ScenarioProblem> parse_scenario(
    std::string_view text, const std::string& file, const ScenarioLimits& limits = {});

/// Reads a file that must lie in one of the folders; a relative path is tried in the working
/// directory and then in each of them. Blocks on the disk.
[[nodiscard]] std::variant<Scenario, ScenarioProblem> load_scenario_file(
    const std::string& path, const std::vector<std::string>& folders,
    const ScenarioLimits& limits = {});

}  // namespace gantry::mock
