// SPDX-License-Identifier: Apache-2.0
//
// Any bytes that somebody attaches as a GIF: a picture of the size that it says, or a refusal.
#include <gantry/picture/gif.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  gantry::picture::DecodeLimits limits;
  limits.max_pixels = 1 << 20;
  const auto image = gantry::picture::decode_gif({data, size}, limits);
  if (!image.ok()) return 0;
  const auto bytes =
      static_cast<std::size_t>(image->width) * static_cast<std::size_t>(image->height) * 3;
  if (image->pixels.size() != bytes) std::abort();
  return 0;
}
