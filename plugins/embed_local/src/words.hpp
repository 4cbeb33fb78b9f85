// SPDX-License-Identifier: Apache-2.0
//
// Words as the table knows them. Any text is taken; what is not UTF-8 separates words. Pure
// functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gantry::embed_local {

/// The words of a text: letters and digits in lower case, Latin letters without their marks. What
/// stands behind an apostrophe goes, but for "n't", which is "not".
std::vector<std::string> words_of(std::string_view text);

/// What a word may be an inflection of, the likeliest first: "stories" gives "story", "storie".
std::vector<std::string> base_forms(std::string_view word);

/// Words that hold a sentence together and say nothing by themselves: "the", "he", "with".
bool is_function_word(std::string_view word);

}  // namespace gantry::embed_local
