// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace gantry::observation {

/// RFC 4648 section 4, with padding.
[[nodiscard]] std::string encode_base64(std::span<const std::uint8_t> bytes);

}  // namespace gantry::observation
