// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which bytes stand for themselves inside a JSON string, eight at a time.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace gantry::codec {

/// How many of eight bytes, from the front, stand for themselves in a string: up to a quote, a
/// backslash, a control character or anything that is not ASCII. Works on all eight at once: the
/// lowest high bit of each mask is exact (only bits above it can be set by a borrow).
inline std::size_t plain_prefix(const char* eight) {
  constexpr std::uint64_t kOnes = 0x0101010101010101;
  constexpr std::uint64_t kHigh = 0x8080808080808080;
  std::uint64_t bytes = 0;
  std::memcpy(&bytes, eight, 8);
  if constexpr (std::endian::native == std::endian::big) bytes = __builtin_bswap64(bytes);
  const auto below = [](std::uint64_t word, std::uint64_t limit) {
    return (word - kOnes * limit) & ~word & kHigh;
  };
  const std::uint64_t special = (bytes & kHigh) | below(bytes, 0x20) |
                                below(bytes ^ kOnes * '"', 1) | below(bytes ^ kOnes * '\\', 1);
  return static_cast<std::size_t>(std::countr_zero(special)) / 8;  // 64 when there is none
}

}  // namespace gantry::codec
