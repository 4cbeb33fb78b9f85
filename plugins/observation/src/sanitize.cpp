// SPDX-License-Identifier: Apache-2.0
#include <gantry/outside_text.hpp>

#include <algorithm>
#include <iterator>

#include "text.hpp"

namespace gantry::observation {
namespace {

struct Range {
  char32_t first, last;
};
constexpr Range kPlaceless[] = {
    {0xAD, 0xAD},     {0x34F, 0x34F},   {0x61C, 0x61C},   {0x115F, 0x1160}, {0x17B4, 0x17B5},
    {0x180B, 0x180F}, {0x200B, 0x200F}, {0x202A, 0x202E}, {0x2060, 0x206F}, {0x3164, 0x3164},
    {0xFE00, 0xFE0F}, {0xFEFF, 0xFEFF}, {0xFFA0, 0xFFA0}, {0xFFF9, 0xFFFB}, {0xE0000, 0xE0FFF},
};

bool is_placeless(char32_t c) {
  return std::any_of(std::begin(kPlaceless), std::end(kPlaceless),
                     [c](const Range& range) { return c >= range.first && c <= range.last; });
}

bool is_other_space(char32_t c) {
  return c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x202F || c == 0x205F ||
         c == 0x3000;
}

}  // namespace

std::string readable_text(std::string_view text) {
  std::string clean = strip_terminal_controls(text);
  const bool ascii = std::all_of(clean.begin(), clean.end(),
                                 [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  if (ascii) return clean;
  std::u32string points = decode_utf8(clean);
  std::erase_if(points, is_placeless);
  std::replace_if(points.begin(), points.end(), is_other_space, U' ');
  return encode_utf8(points);
}

bool may_hold_controls(std::string_view text) { return gantry::may_hold_controls(text); }

std::string strip_terminal_controls(std::string_view text) {
  return gantry::strip_terminal_controls(text);
}

}  // namespace gantry::observation
