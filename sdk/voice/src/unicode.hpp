// SPDX-License-Identifier: Apache-2.0
// Code points of UTF-8, for this library's sources.
#pragma once

#include <gantry/utf8.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace gantry::voice {

/// The code point of the valid sequence of `size` bytes at the front.
inline char32_t code_point(std::string_view text, std::size_t size) {
  const auto at = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  if (size == 1) return at(0);
  char32_t out = at(0) & (0x7FU >> size);
  for (std::size_t i = 1; i < size; ++i) out = (out << 6U) | (at(i) & 0x3FU);
  return out;
}

inline void append_utf8(std::string& out, char32_t c) {
  const auto put = [&out](char32_t byte) { out.push_back(static_cast<char>(byte)); };
  if (c < 0x80) return put(c);
  if (c < 0x800) {
    put(0xC0U | (c >> 6U));
  } else {
    if (c < 0x10000) {
      put(0xE0U | (c >> 12U));
    } else {
      put(0xF0U | (c >> 18U));
      put(0x80U | ((c >> 12U) & 0x3FU));
    }
    put(0x80U | ((c >> 6U) & 0x3FU));
  }
  put(0x80U | (c & 0x3FU));
}

inline std::string to_utf8(std::u32string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char32_t c : text) append_utf8(out, c);
  return out;
}

/// Bytes that are no UTF-8 are left out.
inline std::u32string from_utf8(std::string_view text) {
  std::u32string out;
  while (!text.empty()) {
    const std::size_t size = codec::utf8_length(text);
    if (size > 0) out.push_back(code_point(text, size));
    text.remove_prefix(size > 0 ? size : 1);
  }
  return out;
}

inline bool is_digit(char32_t c) { return c >= U'0' && c <= U'9'; }
inline bool is_ascii_letter(char32_t c) { return (c | 0x20U) >= U'a' && (c | 0x20U) <= U'z'; }
inline bool is_blank(char32_t c) {
  return c == U' ' || c == U'\t' || c == U'\n' || c == 0xA0 || (c >= 0x2000 && c <= 0x200A) ||
         c == 0x202F || c == 0x3000;
}
/// Letters and digits of any script, roughly: everything that is no sign.
inline bool is_word(char32_t c) {
  if (c < 0x80) return is_digit(c) || is_ascii_letter(c);
  if (c < 0xC0) return c == 0xAA || c == 0xB5 || c == 0xBA;
  if (c == 0xD7 || c == 0xF7) return false;
  return !(c >= 0x2000 && c <= 0x2BFF) && !(c >= 0x3000 && c <= 0x3004) &&
         !(c >= 0x3008 && c <= 0x3020) && !(c >= 0xFE00 && c <= 0xFE6F) &&
         !(c >= 0xFF01 && c <= 0xFF0F) && !(c >= 0x1F000 && c <= 0x1FAFF) && c < 0xE0000;
}
inline bool is_lower(char32_t c) {
  return (c >= U'a' && c <= U'z') || (c >= 0xDF && c <= 0xFF && c != 0xF7) ||
         (c >= 0x3B1 && c <= 0x3C9) || (c >= 0x430 && c <= 0x45F);
}

}  // namespace gantry::voice
