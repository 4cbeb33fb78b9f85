// SPDX-License-Identifier: Apache-2.0
#pragma once
// A picture made of filled rectangles and block letters: enough to tell where things are.

#include <gantry/media.hpp>

#include <cstdint>
#include <string_view>
#include <vector>

namespace gantry::mock {

/// An element's box in the picture's own coordinates.
struct Box {
  int x, y, width, height;
};

/// 0xRRGGBB.
using Colour = std::uint32_t;

class Canvas {
 public:
  Canvas(int width, int height, Colour background);

  /// Parts outside the canvas are left out.
  void fill(int x, int y, int width, int height, Colour colour);
  /// The outline, one pixel wide, inside the rectangle.
  void frame(int x, int y, int width, int height, Colour colour);
  /// Letters of 3 by 5 squares, each `scale` pixels wide, as capitals; what has no glyph is a
  /// square. Returns the column after the text.
  int text(int x, int y, std::string_view text, Colour colour, int scale = 2);

  [[nodiscard]] Image image() &&;

 private:
  int width_;
  int height_;
  std::vector<std::uint8_t> rgb_;
};

}  // namespace gantry::mock
