// SPDX-License-Identifier: Apache-2.0
//
// The id of a contract on the bus.
#pragma once

#include <cstdint>
#include <string_view>

namespace gantry {

/// FNV-1a 64 of a contract name, as in gantry_contract.id (abi/bus.h).
constexpr std::uint64_t contract_id(std::string_view name) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char c : name) {
    hash ^= static_cast<std::uint8_t>(c);
    hash *= 0x100000001b3ULL;
  }
  return hash;
}

}  // namespace gantry
