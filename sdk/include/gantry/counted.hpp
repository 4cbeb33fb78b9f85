// SPDX-License-Identifier: Apache-2.0
// Numbers of things in messages that people read: "1 key", "2 keys".
//
// Thread rules: plain functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace gantry {

/// "1 key was" for one, "3 keys were" for any other number.
inline std::string counted(std::uint64_t count, std::string_view one, std::string_view many) {
  return std::to_string(count).append(" ").append(count == 1 ? one : many);
}

/// "1 key", "0 keys": for words that take an s.
inline std::string counted(std::uint64_t count, std::string_view one) {
  return counted(count, one, std::string(one) + 's');
}

}  // namespace gantry
