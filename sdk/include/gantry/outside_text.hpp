// SPDX-License-Identifier: Apache-2.0
//
// Text that others wrote, as it may be shown: what is on a screen, what a server says it heard or
// saw. Pure functions.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>

namespace gantry {
namespace outside_text {

inline constexpr unsigned char kEscape = 0x1B;

inline bool is_csi_final(unsigned char c) { return c >= 0x40 && c <= 0x7E; }

/// Index just after the escape sequence that starts at `at` (an ESC byte). An unfinished sequence
/// swallows only its introducer, so that ordinary text after it survives.
inline std::size_t skip_escape(std::string_view text, std::size_t at) {
  if (at + 1 >= text.size()) return text.size();
  const auto kind = static_cast<unsigned char>(text[at + 1]);
  if (kind == '[') {
    std::size_t i = at + 2;
    while (i < text.size() && !is_csi_final(static_cast<unsigned char>(text[i])) &&
           static_cast<unsigned char>(text[i]) >= 0x20 &&
           static_cast<unsigned char>(text[i]) < 0x40) {
      ++i;
    }
    const bool complete = i < text.size() && is_csi_final(static_cast<unsigned char>(text[i]));
    return complete ? i + 1 : i;
  }
  if (kind == ']') {
    for (std::size_t i = at + 2; i < text.size(); ++i) {
      if (text[i] == '\x07') return i + 1;
      if (static_cast<unsigned char>(text[i]) == kEscape && i + 1 < text.size() &&
          text[i + 1] == '\\')
        return i + 2;
    }
    return at + 2;
  }
  const bool two_byte = kind >= 0x40 && kind <= 0x5F;
  return two_byte ? at + 2 : at + 1;
}

/// Bytes of the invisible character at `at` that can turn text around or hide instructions in it:
/// bidi embeddings, overrides and isolates, interlinear annotations, and tag characters. 0: none.
inline std::size_t invisible_at(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) {
    return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0U;
  };
  if (byte(0) == 0xE2 && byte(1) == 0x80 && byte(2) >= 0xAA && byte(2) <= 0xAE) return 3;
  if (byte(0) == 0xE2 && byte(1) == 0x81 && byte(2) >= 0xA6 && byte(2) <= 0xA9) return 3;
  if (byte(0) == 0xEF && byte(1) == 0xBF && byte(2) >= 0xB9 && byte(2) <= 0xBB) return 3;
  if (byte(0) == 0xF3 && byte(1) == 0xA0 && (byte(2) == 0x80 || byte(2) == 0x81)) return 4;
  return 0;
}

constexpr bool is_kept_control(unsigned char c) { return c == '\t' || c == '\n' || c == '\r'; }

/// Bytes that what is removed begins with.
inline constexpr std::array<bool, 256> kSuspicious = [] {
  std::array<bool, 256> found{};
  for (std::size_t c = 0; c < 0x20; ++c) found[c] = !is_kept_control(static_cast<unsigned char>(c));
  for (const std::size_t c : {0x7FU, 0xC2U, 0xE2U, 0xEFU, 0xF3U}) found[c] = true;
  return found;
}();

/// Bytes that go at `at`; 0: it stays.
inline std::size_t removed_at(std::string_view text, std::size_t at) {
  const auto c = static_cast<unsigned char>(text[at]);
  if (!kSuspicious[c]) return 0;
  if (c == kEscape) return skip_escape(text, at) - at;
  if (c < 0x20 || c == 0x7F) return 1;
  if (c != 0xC2) return std::min(invisible_at(text, at), text.size() - at);
  const auto next = at + 1 < text.size() ? static_cast<unsigned char>(text[at + 1]) : 0U;
  return next >= 0x80 && next <= 0x9F ? 2 : 0;  // C1 controls U+0080..U+009F
}

}  // namespace outside_text

/// Whether nothing of a character is seen: all that Unicode 15 ignores by default (soft hyphen,
/// joiners, fillers, variation selectors, tags), direction, shorthand and musical marks, byte order
/// mark, annotations. Controls are none of these.
[[nodiscard]] inline bool takes_no_place(char32_t c) {
  struct Range {
    char32_t first, last;
  };
  constexpr Range kPlaceless[] = {
      {0xAD, 0xAD},       {0x34F, 0x34F},   {0x61C, 0x61C},     {0x115F, 0x1160},
      {0x17B4, 0x17B5},   {0x180B, 0x180F}, {0x200B, 0x200F},   {0x202A, 0x202E},
      {0x2060, 0x206F},   {0x3164, 0x3164}, {0xFE00, 0xFE0F},   {0xFEFF, 0xFEFF},
      {0xFFA0, 0xFFA0},   {0xFFF0, 0xFFFB}, {0x1BCA0, 0x1BCA3}, {0x1D173, 0x1D17A},
      {0xE0000, 0xE0FFF},
  };
  return std::any_of(std::begin(kPlaceless), std::end(kPlaceless),
                     [c](const Range& range) { return c >= range.first && c <= range.last; });
}

/// False when strip_terminal_controls() would certainly leave `text` as it is.
[[nodiscard]] inline bool may_hold_controls(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) {
    return outside_text::kSuspicious[static_cast<unsigned char>(c)];
  });
}

/// Removes ANSI escape sequences (CSI, OSC up to BEL or ST, two-byte escapes) and C0/C1 control
/// characters except TAB, LF and CR: such text must not be able to drive a terminal. Also bidi
/// embeddings, overrides and isolates, interlinear annotations and tag characters, which make text
/// look other than it is or hide some of it from people.
[[nodiscard]] inline std::string strip_terminal_controls(std::string_view text) {
  std::string out;
  std::size_t kept = 0;  // from here on nothing is copied yet
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t removed = outside_text::removed_at(text, at);
    if (removed == 0) {
      ++at;
      continue;
    }
    out += text.substr(kept, at - kept);
    at += removed;
    kept = at;
  }
  return kept == 0 ? std::string(text) : out += text.substr(kept);
}

}  // namespace gantry
