// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which bytes stand for themselves inside a JSON string, eight or sixteen at a time.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

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

#if defined(__SSE2__)
/// Copies sixteen bytes and returns how many of them stand for themselves, from the front.
inline std::size_t copy_sixteen(char* out, const char* sixteen) {
  const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(sixteen));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(out), bytes);
  // As signed numbers control characters and all that is not ASCII are below the blank.
  const __m128i low = _mm_cmplt_epi8(bytes, _mm_set1_epi8(0x20));
  const __m128i quotes = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('"'));
  const __m128i slashes = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\'));
  const int special = _mm_movemask_epi8(_mm_or_si128(low, _mm_or_si128(quotes, slashes)));
  return special == 0 ? 16
                      : static_cast<std::size_t>(__builtin_ctz(static_cast<unsigned>(special)));
}
#endif

}  // namespace gantry::codec
