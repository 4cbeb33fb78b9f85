// SPDX-License-Identifier: Apache-2.0
//
// What is stored carries a sum over all of it: a database tells of pages that do not fit together,
// but not of a byte that has changed within a text.
#pragma once

#include <libdeflate.h>

#include <cstdint>
#include <string_view>

namespace gantry::store {

/// CRC-32, as zlib has it.
inline std::int64_t checksum(std::int64_t number, std::string_view name, std::string_view body) {
  std::uint32_t sum = libdeflate_crc32(0, &number, sizeof number);
  for (const std::string_view part : {name, std::string_view("\0", 1), body}) {
    // It begins anew when it is given no address.
    if (!part.empty()) sum = libdeflate_crc32(sum, part.data(), part.size());
  }
  return std::int64_t{sum};
}

}  // namespace gantry::store
