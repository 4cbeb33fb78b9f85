// SPDX-License-Identifier: Apache-2.0
#pragma once
// GIF files for models, which take PNG. Links gantry_picture and gantry_picture_decode.

#include <gantry/picture/gif.hpp>
#include <gantry/picture/png.hpp>

#include <cstdint>
#include <new>
#include <span>
#include <vector>

namespace gantry::picture {

inline constexpr std::int64_t kLargestGif = 16'000'000;  // pixels of a frame

/// The first frame as a PNG file. Errors: as decode_gif(); resource_exhausted without the memory.
[[nodiscard]] inline Result<std::vector<std::uint8_t>> gif_as_png(
    std::span<const std::uint8_t> file) {
  try {
    GANTRY_ASSIGN(const Image frame, decode_gif(file, {.max_pixels = kLargestGif}));
    return encode_png(frame);
  } catch (const std::bad_alloc&) {
    return Error{Code::ResourceExhausted, "there is no memory to unpack the GIF", {}};
  }
}

}  // namespace gantry::picture
