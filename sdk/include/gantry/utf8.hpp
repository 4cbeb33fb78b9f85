// SPDX-License-Identifier: Apache-2.0
//
// UTF-8 as RFC 3629 has it. Pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace gantry::codec {

/// Length of the valid sequence at the front of `text` (1 to 4), or 0 when there is none: overlong
/// forms, surrogates and code points above U+10FFFF are not valid. `text` must not be empty.
constexpr std::size_t utf8_length(std::string_view text) {
  const auto at = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  const std::uint8_t lead = at(0);
  if (lead < 0x80) return 1;
  std::size_t length = 0;
  if (lead >= 0xC2 && lead <= 0xDF) length = 2;
  if (lead >= 0xE0 && lead <= 0xEF) length = 3;
  if (lead >= 0xF0 && lead <= 0xF4) length = 4;
  if (length == 0 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((at(i) & 0xC0U) != 0x80) return 0;
  }
  if (lead == 0xE0 && at(1) < 0xA0) return 0;  // overlong
  if (lead == 0xED && at(1) > 0x9F) return 0;  // surrogate
  if (lead == 0xF0 && at(1) < 0x90) return 0;  // overlong
  if (lead == 0xF4 && at(1) > 0x8F) return 0;  // above U+10FFFF
  return length;
}

}  // namespace gantry::codec
