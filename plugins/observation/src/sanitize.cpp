// SPDX-License-Identifier: Apache-2.0
#include <gantry/outside_text.hpp>

#include <algorithm>

#include "text.hpp"

namespace gantry::observation {
namespace {

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
  std::erase_if(points, takes_no_place);
  std::replace_if(points.begin(), points.end(), is_other_space, U' ');
  return encode_utf8(points);
}

bool may_hold_controls(std::string_view text) { return gantry::may_hold_controls(text); }

std::string strip_terminal_controls(std::string_view text) {
  return gantry::strip_terminal_controls(text);
}

}  // namespace gantry::observation
