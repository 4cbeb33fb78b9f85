// SPDX-License-Identifier: Apache-2.0
#pragma once
// GIF files for models, which take PNG. Links gantry_picture and gantry_picture_decode.

#include <gantry/picture/gif.hpp>
#include <gantry/picture/png.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace gantry::picture {

/// The first frame as a PNG file. Errors: as decode_gif().
[[nodiscard]] inline Result<std::vector<std::uint8_t>> gif_as_png(
    std::span<const std::uint8_t> file) {
  GANTRY_ASSIGN(const Image frame, decode_gif(file));
  return encode_png(frame);
}

}  // namespace gantry::picture
