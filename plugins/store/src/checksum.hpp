// SPDX-License-Identifier: Apache-2.0
//
// What is stored carries a sum over all of it: a database tells of pages that do not fit together,
// but not of a byte that has changed within a text.
#pragma once

#include <zlib.h>

#include <cstdint>
#include <string_view>

namespace gantry::store {

inline std::int64_t checksum(std::int64_t number, std::string_view name, std::string_view body) {
  uLong sum = crc32(0, reinterpret_cast<const Bytef*>(&number), sizeof number);
  for (const std::string_view part : {name, std::string_view("\0", 1), body}) {
    sum = crc32_z(sum, reinterpret_cast<const Bytef*>(part.data()), part.size());
  }
  return static_cast<std::int64_t>(sum);
}

}  // namespace gantry::store
