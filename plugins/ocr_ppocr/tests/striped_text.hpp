// SPDX-License-Identifier: Apache-2.0
//
// Pictures of text on slanting stripes.
#pragma once

#include <cstdint>
#include <rendered_text.hpp>
#include <vector>

namespace gantry::ocr_ppocr::test {

struct Stripes {
  ocr::test::Colour text;
  ocr::test::Colour one;
  ocr::test::Colour other;
};

inline constexpr Stripes kPastel{{0.07, 0.07, 0.07}, {0.55, 0.41, 0.84}, {0.41, 0.88, 0.67}};
// Told apart by their brightness alone, too.
inline constexpr Stripes kGarish{{0.07, 0.07, 0.07}, {0.45, 0.25, 0.70}, {0.61, 0.98, 0.80}};
inline constexpr Stripes kNight{{0.75, 0.75, 0.75}, {0.55, 0.15, 0.40}, {0.02, 0.10, 0.05}};

/// As draw(), with the labels on stripes of 26 pixels.
inline Image on_stripes(std::int32_t width, std::int32_t height, const Stripes& stripes,
                        const std::vector<ocr::test::Label>& labels) {
  const Image mask = ocr::test::draw(width, height, {{1, 1, 1}, {0, 0, 0}}, labels);
  std::vector<std::uint8_t> bytes;
  for (std::int32_t y = 0; y < height; ++y) {
    for (std::int32_t x = 0; x < width; ++x) {
      const auto& ground = (2 * x + 5 * y) / 140 % 2 == 0 ? stripes.one : stripes.other;
      const auto* pixel = mask.pixels.data() + std::ptrdiff_t{y} * mask.stride + x * 4;
      const double free = *pixel / 255.0;
      const auto mixed = [&](double from, double to) {
        return static_cast<std::uint8_t>(255 * (from * free + to * (1 - free)));
      };
      bytes.insert(bytes.end(),
                   {mixed(ground.blue, stripes.text.blue), mixed(ground.green, stripes.text.green),
                    mixed(ground.red, stripes.text.red), 255});
    }
  }
  return {width, height, width * 4, mask.format, Buffer::of(std::move(bytes))};
}

}  // namespace gantry::ocr_ppocr::test
