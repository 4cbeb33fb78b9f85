// SPDX-License-Identifier: Apache-2.0
#pragma once
// Text as the observer protocol counts and prints it: by code point, with Python's rules for repr,
// splitting and wrapping (observer contract 2.6 and 2.10). Input that is not UTF-8 is read with
// U+FFFD in place of each bad byte. All functions are pure and safe on any thread.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gantry::observation {

/// Takes the first code point off `text`, which must not be empty.
[[nodiscard]] char32_t take_code_point(std::string_view& text);
[[nodiscard]] std::u32string decode_utf8(std::string_view text);
[[nodiscard]] std::string encode_utf8(std::u32string_view text);

/// Number of code points.
[[nodiscard]] std::size_t count_code_points(std::string_view text);

/// The first `count` code points, or all of the text when it is shorter.
[[nodiscard]] std::string_view first_code_points(std::string_view text, std::size_t count);

/// `text` when it has at most `limit` code points, else its first `keep` followed by "…".
[[nodiscard]] std::string shorten(std::string_view text, std::size_t limit, std::size_t keep);

/// Without the spaces, tabs and line ends around it.
[[nodiscard]] std::string_view trim(std::string_view text);

/// Lower case by Unicode simple case mapping; used for window order and role names.
[[nodiscard]] std::string to_lower(std::string_view text);

/// A string literal as Python prints it: single quotes unless the text has one and no double quote;
/// escapes for newline, return, tab, backslash and (by code) for what is not printable; every other
/// character as it is.
[[nodiscard]] std::string python_repr(std::string_view text);

/// Words between white space (Unicode), joined by one space.
[[nodiscard]] std::u32string flatten_whitespace(std::u32string_view text);

/// Lines of at most `width` code points, by the rules of Python's textwrap with its defaults:
/// breaks at spaces, after hyphens inside words and around em-dashes; words longer than a line are
/// cut.
[[nodiscard]] std::vector<std::u32string> wrap_text(std::u32string_view text, std::size_t width);

/// Removes ANSI escape sequences (CSI, OSC up to BEL or ST, two-byte escapes) and C0/C1 control
/// characters except TAB, LF and CR: screen text must not be able to drive a terminal
/// (contract 1.1). Also bidi embeddings, overrides and isolates, interlinear annotations and tag
/// characters, which make text look other than it is or hide some of it from people.
[[nodiscard]] std::string strip_terminal_controls(std::string_view text);
/// False when strip_terminal_controls() would certainly leave `text` as it is.
[[nodiscard]] bool may_hold_controls(std::string_view text);

/// Appends bytes as hexadecimal digits in lower case.
void append_hex(std::string& out, std::span<const unsigned char> bytes);

/// A text as a person sees it: without controls and without characters that take no place, such as
/// zero-width spaces, joiners and soft hyphens; other spaces are blanks. Rules are judged on it, so
/// that nobody gets around them by a character that cannot be seen. For judging only: what joiners
/// join looks different without them.
[[nodiscard]] std::string readable_text(std::string_view text);

[[nodiscard]] bool is_space(char32_t c);
[[nodiscard]] bool is_word_character(char32_t c);  ///< Python's \w.
[[nodiscard]] bool is_digit(char32_t c);
[[nodiscard]] bool is_printable(char32_t c);

}  // namespace gantry::observation
