// SPDX-License-Identifier: Apache-2.0
#pragma once
// Lines of a text by their number, without an object for each of them: only where every so manieth
// begins is kept. The text stays the caller's.

#include <cstddef>
#include <string_view>
#include <vector>

#include "text_lines.hpp"

namespace gantry::files {

class LineIndex {
 public:
  explicit LineIndex(std::string_view text) : text_(text) {
    std::string_view rest = text;
    while (!rest.empty()) {
      if (count_++ % kStep == 0) marks_.push_back(text.size() - rest.size());
      (void)take_line(rest);
    }
  }
  [[nodiscard]] std::size_t size() const { return count_; }
  /// Where the line begins; of one behind the last, where the text ends.
  [[nodiscard]] std::size_t begin_of(std::size_t line) const {
    if (line >= count_) return text_.size();
    std::string_view rest = text_.substr(marks_[line / kStep]);
    for (std::size_t left = line % kStep; left > 0; --left) (void)take_line(rest);
    return text_.size() - rest.size();
  }
  /// The text from the beginning of one line to that of a later one.
  [[nodiscard]] std::string_view part(std::size_t first, std::size_t last) const {
    const std::size_t begin = begin_of(first);
    return text_.substr(begin, begin_of(last) - begin);
  }
  /// What begins with that line, for take_line().
  [[nodiscard]] std::string_view from(std::size_t line) const {
    return text_.substr(begin_of(line));
  }

 private:
  static constexpr std::size_t kStep = 8;

  std::string_view text_;
  std::size_t count_ = 0;
  std::vector<std::size_t> marks_;
};

}  // namespace gantry::files
