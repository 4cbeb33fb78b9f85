// SPDX-License-Identifier: Apache-2.0
#pragma once
// The first picture of a GIF file, for models that take no GIF. Pure; safe on any thread.

#include <gantry/picture/decode.hpp>

#include <cstdint>
#include <span>

namespace gantry::picture {

[[nodiscard]] bool is_gif(std::span<const std::uint8_t> file);

/// As decode() has it, but of a GIF: its first frame, on white where that leaves the canvas free.
[[nodiscard]] Result<Image> decode_gif(std::span<const std::uint8_t> file,
                                       const DecodeLimits& limits = {});

}  // namespace gantry::picture
