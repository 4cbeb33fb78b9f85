// SPDX-License-Identifier: Apache-2.0
#pragma once
// How an English word that is in no dictionary is probably said: names of programs, for example.

#include <string>
#include <string_view>

namespace gantry::stt_pocketsphinx {

/// Phones of the dictionary ("G N OW M"), separated by blanks. Words without a vowel are spelt.
/// Empty for a word with no letter from a to z.
[[nodiscard]] std::string phones_of(std::string_view word);

}  // namespace gantry::stt_pocketsphinx
