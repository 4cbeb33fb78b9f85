// SPDX-License-Identifier: Apache-2.0
#include "pixels.hpp"

#include <bit>

namespace gantry::x11 {

namespace {

/// One colour channel of a pixel, widened to 8 bits: a full field is 255, whatever its width.
class Channel {
 public:
  explicit Channel(std::uint32_t mask)
      : mask_(mask), shift_(mask == 0 ? 0 : std::countr_zero(mask)), largest_(mask >> shift_) {}
  [[nodiscard]] std::uint8_t of(std::uint32_t pixel) const {
    if (largest_ == 0) return 0;
    const std::uint64_t value = (pixel & mask_) >> shift_;
    return static_cast<std::uint8_t>((value * 255 + largest_ / 2) / largest_);
  }

 private:
  std::uint32_t mask_;
  int shift_;
  std::uint32_t largest_;
};

std::uint32_t read_pixel(const std::uint8_t* at, int bytes, bool most_significant_first) {
  std::uint32_t pixel = 0;
  for (int i = 0; i < bytes; ++i) {
    const int shift = 8 * (most_significant_first ? bytes - 1 - i : i);
    pixel |= static_cast<std::uint32_t>(at[i]) << shift;
  }
  return pixel;
}

std::uint8_t blend(std::uint8_t under, std::uint32_t over, std::uint32_t alpha) {
  const std::uint32_t sum = over + (under * (255 - alpha) + 127) / 255;
  return static_cast<std::uint8_t>(std::min<std::uint32_t>(sum, 255));
}

}  // namespace

std::vector<std::uint8_t> to_bgrx(std::span<const std::uint8_t> source, const PixelLayout& layout,
                                  std::int32_t width, std::int32_t height) {
  const Channel red(layout.palette.empty() ? layout.red_mask : 0xFF0000);
  const Channel green(layout.palette.empty() ? layout.green_mask : 0x00FF00);
  const Channel blue(layout.palette.empty() ? layout.blue_mask : 0x0000FF);
  const int bytes = layout.bits_per_pixel / 8;
  const auto stride = static_cast<std::size_t>(layout.stride(width));
  std::vector<std::uint8_t> out(static_cast<std::size_t>(width) * static_cast<std::size_t>(height) *
                                4);
  std::uint8_t* to = out.data();
  for (std::int32_t y = 0; y < height; ++y) {
    const std::uint8_t* from = source.data() + static_cast<std::size_t>(y) * stride;
    for (std::int32_t x = 0; x < width; ++x, from += bytes, to += 4) {
      std::uint32_t pixel = read_pixel(from, bytes, layout.most_significant_first);
      if (!layout.palette.empty())
        pixel = pixel < layout.palette.size() ? layout.palette[pixel] : 0;
      to[0] = blue.of(pixel);
      to[1] = green.of(pixel);
      to[2] = red.of(pixel);
      to[3] = 255;
    }
  }
  return out;
}

void draw_cursor(std::span<std::uint8_t> bgrx, std::int32_t stride, const Rect& area,
                 const CursorImage& cursor) {
  const Rect shown = intersection(area, cursor.area);
  for (std::int32_t y = shown.y; y < shown.bottom(); ++y) {
    for (std::int32_t x = shown.x; x < shown.right(); ++x) {
      const auto from = static_cast<std::size_t>(y - cursor.area.y) *
                            static_cast<std::size_t>(cursor.area.width) +
                        static_cast<std::size_t>(x - cursor.area.x);
      const std::uint32_t argb = cursor.argb[from];
      const std::uint32_t alpha = argb >> 24;
      if (alpha == 0) continue;
      std::uint8_t* to = bgrx.data() +
                         static_cast<std::size_t>(y - area.y) * static_cast<std::size_t>(stride) +
                         static_cast<std::size_t>(x - area.x) * 4;
      to[0] = blend(to[0], argb & 0xFF, alpha);
      to[1] = blend(to[1], (argb >> 8) & 0xFF, alpha);
      to[2] = blend(to[2], (argb >> 16) & 0xFF, alpha);
    }
  }
}

}  // namespace gantry::x11
