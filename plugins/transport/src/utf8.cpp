// SPDX-License-Identifier: Apache-2.0
#include "utf8.hpp"

#include <array>
#include <cstring>

namespace gantry::transport {
namespace {

struct Lead {
  uint8_t first;
  uint8_t last;
  uint8_t pending;
  uint8_t low;
  uint8_t high;
};

// Table 3-7 of the Unicode standard: well-formed byte sequences.
constexpr std::array kLeads = {
    Lead{0xc2, 0xdf, 1, 0x80, 0xbf}, Lead{0xe0, 0xe0, 2, 0xa0, 0xbf},
    Lead{0xe1, 0xec, 2, 0x80, 0xbf}, Lead{0xed, 0xed, 2, 0x80, 0x9f},
    Lead{0xee, 0xef, 2, 0x80, 0xbf}, Lead{0xf0, 0xf0, 3, 0x90, 0xbf},
    Lead{0xf1, 0xf3, 3, 0x80, 0xbf}, Lead{0xf4, 0xf4, 3, 0x80, 0x8f},
};

}  // namespace

bool Utf8Validator::lead(unsigned char byte) {
  for (const auto& range : kLeads) {
    if (byte >= range.first && byte <= range.last) {
      pending_ = range.pending;
      low_ = range.low;
      high_ = range.high;
      return true;
    }
  }
  return false;
}

bool Utf8Validator::feed(std::string_view bytes) {
  const char* at = bytes.data();
  const char* const end = at + bytes.size();
  while (at != end) {
    if (pending_ == 0) {
      // Most text is ASCII: eight bytes at a time as long as no high bit shows.
      uint64_t word = 0;
      while (end - at >= 8) {
        std::memcpy(&word, at, 8);
        if ((word & 0x8080808080808080u) != 0) break;
        at += 8;
      }
      if (at == end) return true;
      const auto byte = static_cast<unsigned char>(*at++);
      if (byte >= 0x80 && !lead(byte)) return false;
      continue;
    }
    const auto byte = static_cast<unsigned char>(*at++);
    if (byte < low_ || byte > high_) return false;
    low_ = 0x80;
    high_ = 0xbf;
    --pending_;
  }
  return true;
}

bool is_utf8(std::string_view text) {
  Utf8Validator validator;
  return validator.feed(text) && validator.complete();
}

}  // namespace gantry::transport
