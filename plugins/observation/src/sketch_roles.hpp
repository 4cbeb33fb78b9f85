// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the sketch knows about roles: which take part in the tab order, which are landmarks, and how
// controls look as one line of text. Private to the sketch.

#include <optional>
#include <string>
#include <string_view>

#include "tree.hpp"

namespace gantry::observation {

/// Trimmed, lower case, without leading "a" and "x" letters (the macOS "AX" prefix, although that
/// also turns "alertdialog" into "lertdialog"), without "_", "-" and spaces (observer
/// contract 2.10).
[[nodiscard]] std::string normalize_role(std::string_view role);

[[nodiscard]] bool is_focusable_role(std::string_view normalized);

/// "MenuBar" for "menubar"; empty when the role is no landmark.
[[nodiscard]] std::string_view landmark_label(std::string_view normalized);

/// Sliders, scroll bars and progress bars show their value as a bar, not as text.
[[nodiscard]] bool shows_value_as_bar(std::string_view normalized);

/// The control drawn in one line for a box of `width` cells, e.g. "[x] Word Wrap" or "▓▓░░ 40%";
/// empty when this role has no drawing or its value is unknown.
[[nodiscard]] std::u32string role_glyph_line(const Node& node, std::string_view normalized,
                                             int width);

/// "● ✗ ⌨Ctrl+S": focused, disabled, shortcut.
[[nodiscard]] std::string sketch_badges(const Node& node);

/// 0..1 from value_now/min/max, or from a value such as "40%", "2 of 5", "0.4" or "40".
[[nodiscard]] std::optional<double> value_fraction(const Node& node);

}  // namespace gantry::observation
