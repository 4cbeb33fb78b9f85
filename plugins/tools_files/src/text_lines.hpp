// SPDX-License-Identifier: Apache-2.0
#pragma once
// Text as lines that remember how they ended, and what a file seems to be. Pure functions.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gantry::files {

struct Line {
  std::string text;
  std::string end;  // "\n", "\r\n", or "" for a last line without one
};

/// A line where it stands in a text.
struct LineView {
  std::string_view text;
  std::string_view end;  // as in Line
  [[nodiscard]] std::size_t size() const { return text.size() + end.size(); }
};

/// Takes the first line off `text`; nothing when there is none. Files may be all line ends: whoever
/// reads goes from one line to the next and keeps none.
[[nodiscard]] std::optional<LineView> take_line(std::string_view& text);
[[nodiscard]] std::size_t count_lines(std::string_view text);

[[nodiscard]] std::vector<Line> lines_of(std::string_view text);
[[nodiscard]] std::string joined(const std::vector<Line>& lines);

/// "\r\n" when every line ends so and there is at least one, else "\n".
[[nodiscard]] std::string line_ending(std::string_view text);
/// The same text with every bare \n as `ending`.
[[nodiscard]] std::string with_ending(std::string_view text, std::string_view ending);

/// A NUL byte near the beginning: no text.
[[nodiscard]] bool is_binary(std::string_view bytes);
/// image/png, image/jpeg, image/gif, image/webp by the first bytes; empty: none of them.
[[nodiscard]] std::string_view image_type(std::string_view bytes);

}  // namespace gantry::files
