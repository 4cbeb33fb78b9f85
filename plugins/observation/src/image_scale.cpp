// SPDX-License-Identifier: Apache-2.0
#include "image_scale.hpp"

#include <algorithm>
#include <vector>

#include "base64.hpp"
#include "occlusion.hpp"
#include "png.hpp"

namespace gantry::observation {
namespace {

struct Grid {
  const Image& from;
  std::int32_t width;
  std::int32_t height;
  std::size_t step;
};

std::uint8_t mean(const Grid& grid, std::int32_t x, std::int32_t y, std::size_t channel) {
  const auto edge = [](std::int64_t at, std::int64_t small, std::int64_t big) {
    return static_cast<std::size_t>(at * big / small);
  };
  const std::size_t left = edge(x, grid.width, grid.from.width);
  const std::size_t right = std::max(left + 1, edge(x + 1, grid.width, grid.from.width));
  const std::size_t top = edge(y, grid.height, grid.from.height);
  const std::size_t bottom = std::max(top + 1, edge(y + 1, grid.height, grid.from.height));
  const std::uint8_t* const pixels = grid.from.pixels.data();
  const auto stride = static_cast<std::size_t>(grid.from.stride);
  std::uint64_t sum = 0;
  for (std::size_t row = top; row < bottom; ++row) {
    for (std::size_t column = left; column < right; ++column) {
      sum += pixels[row * stride + column * grid.step + channel];
    }
  }
  return static_cast<std::uint8_t>(sum / ((right - left) * (bottom - top)));
}

}  // namespace

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

Image shrink(const Image& image, std::int32_t max_width) {
  if (image.width <= max_width || max_width <= 0) return image;
  const auto height =
      std::max<std::int64_t>(1, std::int64_t{image.height} * max_width / image.width);
  const Grid grid{image, max_width, static_cast<std::int32_t>(height),
                  static_cast<std::size_t>(bytes_per_pixel(image.format))};
  std::vector<std::uint8_t> pixels;
  pixels.reserve(static_cast<std::size_t>(grid.width) * static_cast<std::size_t>(grid.height) *
                 grid.step);
  for (std::int32_t y = 0; y < grid.height; ++y) {
    for (std::int32_t x = 0; x < grid.width; ++x) {
      for (std::size_t channel = 0; channel < grid.step; ++channel) {
        pixels.push_back(mean(grid, x, y, channel));
      }
    }
  }
  Image out = image;
  out.width = grid.width;
  out.height = grid.height;
  out.stride = grid.width * bytes_per_pixel(image.format);
  out.pixels = Buffer::of(std::move(pixels));
  return out;
}

std::string scaled_png(const Image& image, std::int32_t max_width) {
  const Result<std::vector<std::uint8_t>> png = encode_png(shrink(image, max_width));
  return png.ok() ? encode_base64(*png) : std::string();
}

}  // namespace gantry::observation
