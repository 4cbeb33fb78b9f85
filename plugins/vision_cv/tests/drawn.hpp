// SPDX-License-Identifier: Apache-2.0
//
// Pictures that the tests draw themselves, pixel by pixel.
#pragma once

#include <gantry/contracts/common.hpp>
#include <gantry/media.hpp>

#include <cstdint>
#include <vector>

namespace gantry::vision_cv::test {

/// Red, green, blue, 0xRRGGBB.
using Colour = std::uint32_t;

class Canvas {
 public:
  Canvas(std::int32_t width, std::int32_t height, Colour ground);

  Canvas& fill(const Rect& box, Colour colour);
  /// A box with a border of `thick` pixels inside of it.
  Canvas& box(const Rect& box, Colour ground, Colour border, std::int32_t thick = 1);
  /// A filled circle that fits into the square at (x, y).
  Canvas& circle(std::int32_t x, std::int32_t y, std::int32_t side, Colour colour);
  /// What has the shape of a word: upright and level strokes, 10 pixels high.
  Canvas& word(std::int32_t x, std::int32_t y, std::int32_t letters, Colour colour);
  Canvas& dot(std::int32_t x, std::int32_t y, Colour colour);

  [[nodiscard]] Image image(PixelFormat format = PixelFormat::Bgrx8) const;
  [[nodiscard]] Colour at(std::int32_t x, std::int32_t y) const;

 private:
  std::int32_t width_;
  std::int32_t height_;
  std::vector<Colour> pixels_;
};

/// The pixel of a picture of 3 or 4 bytes a pixel.
[[nodiscard]] Colour pixel(const Image& image, std::int32_t x, std::int32_t y);

}  // namespace gantry::vision_cv::test
