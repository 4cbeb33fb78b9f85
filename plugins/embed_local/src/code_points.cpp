// SPDX-License-Identifier: Apache-2.0
#include "code_points.hpp"

#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <iterator>

namespace gantry::embed_local {
namespace {

constexpr std::size_t kMostPieces = 32;

struct Block {
  char32_t first, last;
};

constexpr Block kCjk[] = {{0x3400, 0x4DBF},   {0x4E00, 0x9FFF},   {0xF900, 0xFAFF},
                          {0x20000, 0x2A6DF}, {0x2A700, 0x2B73F}, {0x2B740, 0x2B81F},
                          {0x2B820, 0x2CEAF}, {0x2F800, 0x2FA1F}};

utf8proc_category_t category(char32_t c) {
  return utf8proc_category(static_cast<utf8proc_int32_t>(c));
}

bool is_between(utf8proc_category_t first, utf8proc_category_t value, utf8proc_category_t last) {
  return value >= first && value <= last;
}

constexpr bool is_ascii_sign(char32_t c) {
  return (c >= 33 && c <= 47) || (c >= 58 && c <= 64) || (c >= 91 && c <= 96) ||
         (c >= 123 && c <= 126);
}

}  // namespace

char32_t pop_code_point(std::string_view& text) {
  utf8proc_int32_t c = -1;
  const std::size_t length = codec::utf8_length(text);
  if (length == 0) {
    text.remove_prefix(1);
    return kReplacement;
  }
  utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                   static_cast<utf8proc_ssize_t>(length), &c);
  text.remove_prefix(length);
  return static_cast<char32_t>(c);
}

void append_utf8(char32_t c, std::string& text) {
  std::array<utf8proc_uint8_t, 4> bytes{};
  const auto length = utf8proc_encode_char(static_cast<utf8proc_int32_t>(c), bytes.data());
  text.append(reinterpret_cast<const char*>(bytes.data()), static_cast<std::size_t>(length));
}

bool is_combining(char32_t c) { return category(c) == UTF8PROC_CATEGORY_MN; }

bool is_letter_or_digit(char32_t c) {
  const auto kind = category(c);
  return is_between(UTF8PROC_CATEGORY_LU, kind, UTF8PROC_CATEGORY_LO) ||
         is_between(UTF8PROC_CATEGORY_ND, kind, UTF8PROC_CATEGORY_NO);
}

bool is_blank(char32_t c) {
  return c == U' ' || c == U'\t' || c == U'\n' || c == U'\r' || category(c) == UTF8PROC_CATEGORY_ZS;
}

bool is_control(char32_t c) {
  if (c == U'\t' || c == U'\n' || c == U'\r') return false;
  const auto kind = category(c);
  return kind == UTF8PROC_CATEGORY_CN ||
         is_between(UTF8PROC_CATEGORY_CC, kind, UTF8PROC_CATEGORY_CO);
}

bool is_punctuation(char32_t c) {
  return is_ascii_sign(c) || is_between(UTF8PROC_CATEGORY_PC, category(c), UTF8PROC_CATEGORY_PO);
}

bool is_line_separator(char32_t c) {
  return is_between(UTF8PROC_CATEGORY_ZL, category(c), UTF8PROC_CATEGORY_ZP);
}

bool is_cased(char32_t c) {
  return is_between(UTF8PROC_CATEGORY_LU, category(c), UTF8PROC_CATEGORY_LT);
}

bool is_case_ignorable(char32_t c) {
  const auto kind = category(c);
  return kind == UTF8PROC_CATEGORY_MN || kind == UTF8PROC_CATEGORY_ME ||
         kind == UTF8PROC_CATEGORY_CF || kind == UTF8PROC_CATEGORY_LM ||
         kind == UTF8PROC_CATEGORY_SK || c == U'\'' || c == U'.' || c == U':' || c == U'^' ||
         c == U'`' || c == 0xB7 || c == 0x2019;
}

bool is_cjk(char32_t c) {
  return std::any_of(std::begin(kCjk), std::end(kCjk),
                     [c](const Block& block) { return c >= block.first && c <= block.last; });
}

void append_folded(char32_t c, std::string& text) {
  if (c < 0x80) {
    text += static_cast<char>(c >= U'A' && c <= U'Z' ? c + 32 : c);
    return;
  }
  std::array<utf8proc_int32_t, kMostPieces> pieces{};
  int last_boundclass = 0;
  // Lower case first: some letters have no mark of their own in lower case.
  const utf8proc_int32_t lower = utf8proc_tolower(static_cast<utf8proc_int32_t>(c));
  const auto count =
      utf8proc_decompose_char(lower, pieces.data(), static_cast<utf8proc_ssize_t>(pieces.size()),
                              UTF8PROC_DECOMPOSE, &last_boundclass);
  if (count <= 0 || static_cast<std::size_t>(count) > pieces.size()) {
    append_utf8(c, text);
    return;
  }
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    const auto piece = static_cast<char32_t>(pieces[i]);
    if (!is_combining(piece)) append_utf8(piece, text);
  }
}

}  // namespace gantry::embed_local
