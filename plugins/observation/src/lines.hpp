// SPDX-License-Identifier: Apache-2.0
#pragma once
// A tree as one short line for each element, for readers who pay by the byte:
//
//   0.2.1 Button "Save" disabled
//   0.3 CheckBox "Wrap lines" [x]
//   0.4 Edit "Name" ="Ada" focused
//
// First the id without its leading "root." (the root itself is "root"), which every tool takes as
// an element id. Then role, name, value and what is special: [x] or [ ] ticked or not, [-] or [+]
// open or closed, focused, disabled, secret, and +N for N children that were cut away. Texts are
// quoted, shortened, and escaped with backslashes so that a line stays a line. Elements that say
// nothing and do nothing are left out; their place shows in the ids below them.

#include <optional>
#include <string>
#include <string_view>

#include "tree.hpp"

namespace gantry::observation {

struct LineOptions {
  std::size_t max_bytes = 0;  ///< Of the text as a JSON string; 0: no limit.
  std::size_t max_lines = 0;  ///< 0: no limit.
  std::string after_id;       ///< Id of the last line that the reader has; empty: from the start.
  /// Only elements that hold others, each with the number of lines below it.
  bool skeleton = false;
};

struct LinePage {
  std::string text;                    ///< Lines with a newline between.
  std::size_t count = 0;               ///< Lines in `text`.
  std::size_t total = 0;               ///< Lines of all pages.
  std::optional<std::string> last_id;  ///< Of the last line when more follow.
  bool known_cursor = true;            ///< False: after_id is no line of this tree.
};

/// At least one line, however small the limit, so that a reader always gets on.
[[nodiscard]] LinePage render_lines(const Node& root, const LineOptions& options);

/// The line of one element.
[[nodiscard]] std::string element_line(const Node& node);

/// "0.2.1" for "root.0.2.1"; other ids as they are.
[[nodiscard]] std::string_view short_id(std::string_view id);

/// True for elements that have a line: what can be acted on, and what says something.
[[nodiscard]] bool has_line(const Node& node);

/// Bytes of the text inside a JSON string.
[[nodiscard]] std::size_t json_string_size(std::string_view text);

}  // namespace gantry::observation
