// SPDX-License-Identifier: Apache-2.0
#include "image_scale.hpp"

#include <gantry/picture/png.hpp>

#include <algorithm>
#include <vector>

#include "base64.hpp"
#include "occlusion.hpp"

namespace gantry::observation {

Image part_of(const Capture& capture, const Rect& area) {
  const Rect& shown = capture.area;
  const Rect part = intersection(area, shown);
  if (part.empty() || part == shown) return capture.image;
  const Image& image = capture.image;
  const auto scaled = [](std::int64_t at, std::int64_t whole, std::int64_t pixels) {
    return static_cast<std::int32_t>(at * pixels / whole);
  };
  const std::int32_t left = scaled(std::int64_t{part.x} - shown.x, shown.width, image.width);
  const std::int32_t top = scaled(std::int64_t{part.y} - shown.y, shown.height, image.height);
  Image out = image;
  out.width = std::max(1, scaled(part.width, shown.width, image.width));
  out.height = std::max(1, scaled(part.height, shown.height, image.height));
  const std::int32_t step = bytes_per_pixel(image.format);
  std::vector<std::uint8_t> pixels;
  pixels.reserve(static_cast<std::size_t>(out.width) * static_cast<std::size_t>(out.height) *
                 static_cast<std::size_t>(step));
  for (std::int32_t row = 0; row < out.height; ++row) {
    const std::uint8_t* const from =
        image.pixels.data() + std::int64_t{top + row} * image.stride + std::int64_t{left} * step;
    pixels.insert(pixels.end(), from, from + std::int64_t{out.width} * step);
  }
  out.stride = out.width * step;
  out.pixels = Buffer::of(std::move(pixels));
  return out;
}

std::string scaled_png(const Image& image, std::int32_t max_width) {
  const Result<std::vector<std::uint8_t>> png = picture::encode_png(shrink(image, max_width));
  return png.ok() ? encode_base64(*png) : std::string();
}

}  // namespace gantry::observation
