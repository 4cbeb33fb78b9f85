// SPDX-License-Identifier: Apache-2.0
#pragma once
// The grammar of commands (docs/rules-planner.md). Pure functions.

#include <gantry/observed.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gantry::rules {

enum class Verb {
  ListWindows,
  Describe,
  Click,
  DoubleClick,
  RightClick,
  Type,
  Press,
  ScrollUp,
  ScrollDown,
  Open,
  Switch,
  WaitFor,
  WaitSeconds,
  Read,
  Screenshot,
  Help,
  Unknown
};

struct Point {
  std::int64_t x = 0, y = 0;
};

struct Step {
  Verb verb = Verb::Unknown;
  std::string what;   // element, application, text, keys; of Unknown: the words
  std::string where;  // part of a window's title; empty: the one in front
  std::string into;   // of Type: the field; empty: whatever has the focus
  std::optional<Point> at;
  std::int64_t number = 0;  // wheel steps, milliseconds; 0: not said
  std::string said;         // the words of this step
};

/// The steps of a command, in order.
[[nodiscard]] std::vector<Step> parse_command(std::string_view text);

/// Which one of a list is meant by "2", "the second", "number 2": from 1; 0 when it is no choice.
[[nodiscard]] std::size_t parse_choice(std::string_view text);

using observed::lower;
using observed::trim;

}  // namespace gantry::rules
