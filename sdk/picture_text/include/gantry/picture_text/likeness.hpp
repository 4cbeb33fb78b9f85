// SPDX-License-Identifier: Apache-2.0
//
// How alike two texts are: twice the characters in common blocks by the length of both, where
// blocks are found as Python's difflib.SequenceMatcher does (Ratcliff and Obershelp's method, the
// longest block first, the earliest of several), down to the last bit and with its rule for
// popular characters: in a second text of 200 characters or more, those that stand in more than
// 1 % + 1 of its places begin no block. Pure.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace gantry::picture_text {

/// One text to compare many others with.
class Likeness {
 public:
  explicit Likeness(std::u32string_view first) : first_(first) {}

  /// 0 to 1; 1 for two empty texts.
  [[nodiscard]] double with(std::u32string_view second);

 private:
  struct Block {
    std::size_t in_first = 0;
    std::size_t in_second = 0;
    std::size_t size = 0;
  };
  struct Part {
    std::size_t first_begin, first_end, second_begin, second_end;
  };

  void index(std::u32string_view second);
  [[nodiscard]] Block longest(std::u32string_view second, const Part& part);

  struct Places {
    std::size_t begin = 0;
    std::size_t end = 0;
  };

  std::u32string_view first_;
  std::vector<std::size_t> order_;   // places of the second text, by character
  std::vector<Places> places_;       // of each character of the first text, in order_
  std::vector<std::size_t> ending_;  // lengths of blocks that end at a place, plus one
  std::vector<std::size_t> next_;
};

}  // namespace gantry::picture_text
