// SPDX-License-Identifier: Apache-2.0
#pragma once
// Base64 without the quotes that make it JSON. Pure.

#include <gantry/codec.hpp>

#include <cstdint>
#include <span>
#include <string>

namespace gantry::chat_cortask {

[[nodiscard]] inline std::string base64_of(std::span<const std::uint8_t> bytes) {
  std::string out;
  codec::write_base64(out, bytes);
  return out.substr(1, out.size() - 2);
}

}  // namespace gantry::chat_cortask
