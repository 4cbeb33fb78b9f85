// SPDX-License-Identifier: Apache-2.0
#include "base64.hpp"

#include <gantry/codec.hpp>

namespace gantry::observation {

std::string encode_base64(std::span<const std::uint8_t> bytes) {
  std::string quoted;
  codec::write_base64(quoted, bytes);
  return quoted.substr(1, quoted.size() - 2);
}

}  // namespace gantry::observation
