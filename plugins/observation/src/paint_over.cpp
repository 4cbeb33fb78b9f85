// SPDX-License-Identifier: Apache-2.0
#include "paint_over.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace gantry::observation {
namespace {

constexpr std::uint8_t kShade = 0x40;

struct Span {
  std::size_t from;
  std::size_t to;
};

/// Screen pixels [at, at + length) as pixels of the picture, outwards.
Span scaled(std::int64_t at, std::int64_t length, std::int64_t shown, std::int64_t pixels) {
  if (shown <= 0) return {0, 0};
  const std::int64_t begin = std::clamp<std::int64_t>(at, 0, shown) * pixels / shown;
  const std::int64_t end =
      (std::clamp<std::int64_t>(at + length, 0, shown) * pixels + shown - 1) / shown;
  return {static_cast<std::size_t>(begin), static_cast<std::size_t>(end)};
}

}  // namespace

Image paint_over(const Capture& capture, std::span<const Rect> areas) {
  const Image& image = capture.image;
  const auto* const begin = image.pixels.data();
  std::vector<std::uint8_t> pixels(begin, begin + image.pixels.size());
  const auto step = static_cast<std::size_t>(bytes_per_pixel(image.format));
  const auto stride = static_cast<std::size_t>(image.stride);
  for (const Rect& area : areas) {
    const Span columns =
        scaled(std::int64_t{area.x} - capture.area.x, area.width, capture.area.width, image.width);
    const Span rows = scaled(std::int64_t{area.y} - capture.area.y, area.height,
                             capture.area.height, image.height);
    for (std::size_t row = rows.from; row < rows.to; ++row) {
      const std::size_t from = row * stride + columns.from * step;
      const std::size_t to = row * stride + columns.to * step;
      if (to > pixels.size() || from >= to) continue;
      std::fill(pixels.begin() + static_cast<std::ptrdiff_t>(from),
                pixels.begin() + static_cast<std::ptrdiff_t>(to), kShade);
    }
  }
  Image out = image;
  out.pixels = Buffer::of(std::move(pixels));
  return out;
}

}  // namespace gantry::observation
