// SPDX-License-Identifier: Apache-2.0
#pragma once
// Numbers and members of described objects, as the files that walk descriptors need them.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>

namespace gantry::codec {

/// Of integers of `size` bytes, 1 to 8.
constexpr std::int64_t highest_signed(std::size_t size) {
  return static_cast<std::int64_t>(std::numeric_limits<std::uint64_t>::max() >> (65 - 8 * size));
}
constexpr std::int64_t lowest_signed(std::size_t size) { return -highest_signed(size) - 1; }
constexpr std::uint64_t highest_unsigned(std::size_t size) {
  return std::numeric_limits<std::uint64_t>::max() >> (64 - 8 * size);
}

/// The member that lies `offset` bytes into an object.
inline const void* at(const void* object, std::size_t offset) {
  return static_cast<const std::byte*>(object) + offset;
}
inline void* at(void* object, std::size_t offset) {
  return static_cast<std::byte*>(object) + offset;
}

template <class T>
void store(void* object, std::uint64_t bits) {
  const auto narrow = static_cast<T>(bits);
  std::memcpy(object, &narrow, sizeof narrow);
}

/// The low bytes of `bits`: right for signed and unsigned integers of two's complement.
inline void store_integer(void* object, std::size_t size, std::uint64_t bits) {
  switch (size) {
    case 1: return store<std::uint8_t>(object, bits);
    case 2: return store<std::uint16_t>(object, bits);
    case 4: return store<std::uint32_t>(object, bits);
    default: return store<std::uint64_t>(object, bits);
  }
}

}  // namespace gantry::codec
