// SPDX-License-Identifier: Apache-2.0
//
// Texts as words that can be compared.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gantry::vision_ground {

/// A word of a description. What was quoted is one word, with its blanks.
struct Word {
  std::string text;  // lower case, without punctuation around it
  bool quoted = false;
};

/// Control characters part words; letters beyond ASCII stay as they are but for Latin capitals.
[[nodiscard]] std::vector<Word> words_of(std::string_view description);

/// The same for a text on the screen: lower case, single blanks, no punctuation around words.
[[nodiscard]] std::string plain(std::string_view text);

[[nodiscard]] std::string joined(const std::vector<Word>& words);

}  // namespace gantry::vision_ground
