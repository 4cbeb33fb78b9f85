// SPDX-License-Identifier: Apache-2.0
#include <gantry/picture/check.hpp>

#include <fmt/format.h>

#include <cstdint>

namespace gantry::picture {
namespace {

constexpr std::int32_t kMaxCaptureSide = 32767;

}  // namespace

Result<void> check_pixels(const Image& image) {
  const std::int32_t pixel = bytes_per_pixel(image.format);
  if (image.width < 1 || image.height < 1 || image.width > kMaxCaptureSide ||
      image.height > kMaxCaptureSide) {
    return invalid_argument(fmt::format("a {}x{} image cannot be encoded; sides go from 1 to {}",
                                        image.width, image.height, kMaxCaptureSide));
  }
  const std::int64_t needed = static_cast<std::int64_t>(image.height - 1) * image.stride +
                              std::int64_t{image.width} * pixel;
  if (image.stride < image.width * pixel ||
      static_cast<std::int64_t>(image.pixels.size()) < needed) {
    return invalid_argument(fmt::format(
        "an image of {}x{} pixels with rows of {} bytes needs {} bytes, but its buffer has {}",
        image.width, image.height, image.stride, needed, image.pixels.size()));
  }
  return {};
}

}  // namespace gantry::picture
