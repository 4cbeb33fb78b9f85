// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <random>
#include <string>

namespace gantry {

/// Random, as RFC 9562 has version 4.
[[nodiscard]] inline std::string random_uuid() {
  constexpr const char* kDigits = "0123456789abcdef";
  std::random_device device;
  std::array<std::uint8_t, 16> bytes{};
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(device());
  bytes[6] = static_cast<std::uint8_t>(0x40U | (bytes[6] & 0x0FU));
  bytes[8] = static_cast<std::uint8_t>(0x80U | (bytes[8] & 0x3FU));
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) out += '-';
    out += kDigits[bytes[i] >> 4U];
    out += kDigits[bytes[i] & 15U];
  }
  return out;
}

}  // namespace gantry
