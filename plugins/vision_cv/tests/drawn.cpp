// SPDX-License-Identifier: Apache-2.0
#include "drawn.hpp"

#include <utility>

namespace gantry::vision_cv::test {

Canvas::Canvas(std::int32_t width, std::int32_t height, Colour ground)
    : width_(width),
      height_(height),
      pixels_(static_cast<std::size_t>(width) * static_cast<std::size_t>(height), ground) {}

Canvas& Canvas::dot(std::int32_t x, std::int32_t y, Colour colour) {
  if (x >= 0 && y >= 0 && x < width_ && y < height_) {
    pixels_[static_cast<std::size_t>(y) * static_cast<std::size_t>(width_) +
            static_cast<std::size_t>(x)] = colour;
  }
  return *this;
}

Canvas& Canvas::fill(const Rect& box, Colour colour) {
  for (std::int32_t y = box.y; y < box.y + box.height; ++y) {
    for (std::int32_t x = box.x; x < box.x + box.width; ++x) dot(x, y, colour);
  }
  return *this;
}

Canvas& Canvas::box(const Rect& box, Colour ground, Colour border, std::int32_t thick) {
  fill(box, border);
  return fill({box.x + thick, box.y + thick, box.width - 2 * thick, box.height - 2 * thick},
              ground);
}

Canvas& Canvas::circle(std::int32_t x, std::int32_t y, std::int32_t side, Colour colour) {
  for (std::int32_t row = 0; row < side; ++row) {
    for (std::int32_t column = 0; column < side; ++column) {
      const std::int32_t dx = 2 * column + 1 - side;
      const std::int32_t dy = 2 * row + 1 - side;
      if (dx * dx + dy * dy <= side * side) dot(x + column, y + row, colour);
    }
  }
  return *this;
}

Canvas& Canvas::word(std::int32_t x, std::int32_t y, std::int32_t letters, Colour colour) {
  for (std::int32_t i = 0; i < letters; ++i, x += 8) {
    fill({x, y, 1, 10}, colour);
    fill({x + 5, y + 3, 1, 7}, colour);
    fill({x + 1, y + 3 + i % 3, 4, 1}, colour);
  }
  return *this;
}

Colour Canvas::at(std::int32_t x, std::int32_t y) const {
  return pixels_[static_cast<std::size_t>(y) * static_cast<std::size_t>(width_) +
                 static_cast<std::size_t>(x)];
}

Image Canvas::image(PixelFormat format) const {
  const auto step = static_cast<std::size_t>(bytes_per_pixel(format));
  const bool reversed = format == PixelFormat::Bgrx8 || format == PixelFormat::Bgra8;
  std::vector<std::uint8_t> bytes(pixels_.size() * step, 0xAA);
  for (std::size_t i = 0; i < pixels_.size(); ++i) {
    const std::uint8_t rgb[] = {static_cast<std::uint8_t>(pixels_[i] >> 16U),
                                static_cast<std::uint8_t>(pixels_[i] >> 8U),
                                static_cast<std::uint8_t>(pixels_[i])};
    if (step == 1) {
      bytes[i] = rgb[1];
      continue;
    }
    for (std::size_t k = 0; k < 3; ++k) bytes[i * step + k] = rgb[reversed ? 2 - k : k];
  }
  return {width_, height_, width_ * static_cast<std::int32_t>(step), format,
          Buffer::of(std::move(bytes))};
}

Colour pixel(const Image& image, std::int32_t x, std::int32_t y) {
  const std::uint8_t* at = image.pixels.data() + static_cast<std::ptrdiff_t>(y) * image.stride +
                           static_cast<std::ptrdiff_t>(x) * bytes_per_pixel(image.format);
  const bool reversed = image.format == PixelFormat::Bgrx8 || image.format == PixelFormat::Bgra8;
  const std::uint32_t first = at[reversed ? 2 : 0];
  const std::uint32_t last = at[reversed ? 0 : 2];
  return first << 16U | static_cast<std::uint32_t>(at[1]) << 8U | last;
}

}  // namespace gantry::vision_cv::test
