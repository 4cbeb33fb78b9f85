// SPDX-License-Identifier: Apache-2.0
//
// From a server's pixel layout to packed BGRX, and drawing the pointer into it. Pure.
#pragma once

#include "geometry.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace gantry::x11 {

/// How one depth of a server lies in memory (ZPixmap).
struct PixelLayout {
  std::uint8_t bits_per_pixel = 32;  // 8, 16, 24 or 32
  std::uint8_t scanline_pad = 32;    // rows are padded to this many bits
  bool most_significant_first = false;
  std::uint32_t red_mask = 0xFF0000;
  std::uint32_t green_mask = 0x00FF00;
  std::uint32_t blue_mask = 0x0000FF;
  /// Colours of an 8-bit palette as 0xRRGGBB; empty for true colour.
  std::vector<std::uint32_t> palette;

  /// Bytes from one row to the next.
  [[nodiscard]] std::int32_t stride(std::int32_t width) const {
    const std::int64_t bits = static_cast<std::int64_t>(width) * bits_per_pixel;
    return static_cast<std::int32_t>((bits + scanline_pad - 1) / scanline_pad * scanline_pad / 8);
  }
  /// True when the bytes are B, G, R, unused already and no conversion is needed.
  [[nodiscard]] bool is_bgrx() const {
    return bits_per_pixel == 32 && !most_significant_first && palette.empty() &&
           red_mask == 0xFF0000 && green_mask == 0x00FF00 && blue_mask == 0x0000FF;
  }
};

/// Rewrites an image in `layout` as BGRX with stride 4 * width; the X byte is 255.
/// `source` holds at least height rows of layout.stride(width) bytes.
std::vector<std::uint8_t> to_bgrx(std::span<const std::uint8_t> source, const PixelLayout& layout,
                                  std::int32_t width, std::int32_t height);

/// A pointer image: premultiplied ARGB as XFixes gives it, its top left corner in root pixels.
struct CursorImage {
  Rect area;
  std::vector<std::uint32_t> argb;
};

/// Blends the pointer over BGRX pixels that show `area` of the root.
void draw_cursor(std::span<std::uint8_t> bgrx, std::int32_t stride, const Rect& area,
                 const CursorImage& cursor);

}  // namespace gantry::x11
