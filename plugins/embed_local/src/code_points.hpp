// SPDX-License-Identifier: Apache-2.0
//
// What is asked of code points, by Unicode's own data (utf8proc). Pure functions.
#pragma once

#include <gantry/utf8.hpp>

#include <string>
#include <string_view>

namespace gantry::embed_local {

inline constexpr char32_t kReplacement = 0xFFFD;

/// The code point at the front of `text`, which loses it. A byte that is no UTF-8 is U+FFFD.
char32_t pop_code_point(std::string_view& text);

/// Calls `use(char32_t)` with every code point.
template <class Use>
void for_each_code_point(std::string_view text, Use use) {
  while (!text.empty()) use(pop_code_point(text));
}

void append_utf8(char32_t c, std::string& text);

/// A mark that is put on another letter (Mn).
bool is_combining(char32_t c);
bool is_letter_or_digit(char32_t c);
/// Zs, and the tab and line ends of ASCII.
bool is_blank(char32_t c);
/// Any of C*: control, format, surrogate, private use, not assigned; but no tab and no line end.
bool is_control(char32_t c);
/// Any of P*, and every sign of ASCII that is no letter, digit or space.
bool is_punctuation(char32_t c);
/// Zl and Zp, which separate words too.
bool is_line_separator(char32_t c);
/// Letters that come in upper and lower case; what stands between letters without counting as one
/// (Unicode's Cased and Case_Ignorable, as far as sigma needs them).
bool is_cased(char32_t c);
bool is_case_ignorable(char32_t c);
/// A character of the blocks of CJK ideographs (not kana, not Hangul).
bool is_cjk(char32_t c);

/// Appends the character in lower case and without its marks: "É" gives "e".
void append_folded(char32_t c, std::string& text);

}  // namespace gantry::embed_local
