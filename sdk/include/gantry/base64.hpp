// SPDX-License-Identifier: Apache-2.0
//
// Base64 as text of its own; the codec writes it as JSON.
#pragma once

#include <gantry/codec.hpp>

#include <cstdint>
#include <span>
#include <string>

namespace gantry {

[[nodiscard]] inline std::string base64_of(std::span<const std::uint8_t> bytes) {
  std::string out;
  codec::write_base64(out, bytes);
  return out.substr(1, out.size() - 2);
}

}  // namespace gantry
