// SPDX-License-Identifier: Apache-2.0
#include "pixels.hpp"

#include <catch2/catch.hpp>

using namespace gantry::x11;

namespace {
using Bytes = std::vector<std::uint8_t>;
}

TEST_CASE("rows are padded to the scanline") {
  PixelLayout layout;
  CHECK(layout.stride(3) == 12);
  layout.bits_per_pixel = 24;
  CHECK(layout.stride(3) == 12);  // 9 bytes, padded to 4
  layout.bits_per_pixel = 16;
  CHECK(layout.stride(3) == 8);
  layout.bits_per_pixel = 8;
  layout.scanline_pad = 8;
  CHECK(layout.stride(3) == 3);
}

TEST_CASE("the usual layout needs no conversion, others do") {
  PixelLayout layout;
  CHECK(layout.is_bgrx());
  layout.most_significant_first = true;
  CHECK_FALSE(layout.is_bgrx());
}

TEST_CASE("16-bit pixels fill the whole range of 8 bits") {
  PixelLayout layout{16, 32, false, 0xF800, 0x07E0, 0x001F, {}};
  // Red, green, blue, white; each row has room for four pixels.
  const Bytes source = {0x00, 0xF8, 0xE0, 0x07, 0x1F, 0x00, 0xFF, 0xFF};
  const Bytes expected = {0, 0, 255, 255, 0, 255, 0, 255, 255, 0, 0, 255, 255, 255, 255, 255};
  CHECK(to_bgrx(source, layout, 4, 1) == expected);
}

TEST_CASE("big-endian and swapped masks are honoured, row padding is skipped") {
  PixelLayout layout{24, 32, true, 0x0000FF, 0x00FF00, 0xFF0000, {}};  // blue is the high byte
  const Bytes source = {1, 2, 3, 0, 4, 5, 6, 0};                       // two rows of one pixel
  CHECK(to_bgrx(source, layout, 1, 2) == Bytes{1, 2, 3, 255, 4, 5, 6, 255});
}

TEST_CASE("10-bit channels keep their high bits") {
  PixelLayout layout{32, 32, false, 0x3FF00000, 0x000FFC00, 0x000003FF, {}};
  const std::uint32_t pixel = 0x3FFu << 20 | 0x200u << 10 | 0x000u;
  const Bytes source = {static_cast<std::uint8_t>(pixel), static_cast<std::uint8_t>(pixel >> 8),
                        static_cast<std::uint8_t>(pixel >> 16),
                        static_cast<std::uint8_t>(pixel >> 24)};
  CHECK(to_bgrx(source, layout, 1, 1) == Bytes{0, 128, 255, 255});
}

TEST_CASE("palette pixels are looked up, those beyond its end are black") {
  PixelLayout layout{8, 8, false, 0, 0, 0, {0x000000, 0x112233}};
  CHECK(to_bgrx(Bytes{1, 9}, layout, 2, 1) == Bytes{0x33, 0x22, 0x11, 255, 0, 0, 0, 255});
}

TEST_CASE("the pointer is blended where it overlaps the image and nowhere else") {
  Bytes image(std::size_t{2} * 2 * 4, 100);
  // A 2x2 pointer at 11,11 over an image of 10..11: only its top left pixel falls inside.
  const CursorImage cursor{{11, 11, 2, 2}, {0x80400000, 0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF}};
  draw_cursor(image, 8, {10, 10, 2, 2}, cursor);
  CHECK(image[0] == 100);
  CHECK(image[4] == 100);
  CHECK(image[8] == 100);
  CHECK(image[12] == 50);       // blue: 0 + 100 * 127/255
  CHECK(image[14] == 64 + 50);  // red: premultiplied 0x40 + what shines through
  Bytes opaque(4, 7);
  draw_cursor(opaque, 4, {0, 0, 1, 1}, {{0, 0, 1, 1}, {0xFF010203}});
  CHECK(opaque == Bytes{3, 2, 1, 7});
}
