// SPDX-License-Identifier: Apache-2.0
#pragma once
// What is written as it is said: titles and names as lists of words in lower case.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace gantry::stt_pocketsphinx {

struct SpokenPhrase {
  std::vector<std::string> words;  // a to z and the apostrophe
  std::size_t skipped = 0;         // words of other scripts
};

/// "MouseWheel 2 — Préférences" is said mouse, wheel, two, preferences. At most 12 words.
[[nodiscard]] SpokenPhrase spoken(std::string_view written);

/// 0 to 999,999 in words.
[[nodiscard]] std::vector<std::string> number_words(unsigned number);

}  // namespace gantry::stt_pocketsphinx
