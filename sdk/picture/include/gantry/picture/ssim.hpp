// SPDX-License-Identifier: Apache-2.0
#pragma once
// Structural similarity of two pictures (Wang, Bovik, Sheikh, Simoncelli, 2004).

#include <gantry/media.hpp>

#include <cstdint>
#include <optional>
#include <vector>

namespace gantry::picture {

/// Brightness, one byte a pixel, rows without gaps.
struct GrayImage {
  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> pixels;
};

/// ITU-R BT.601 weights, as image libraries convert colour to grey.
[[nodiscard]] GrayImage to_gray(const Image& image);

/// The mean over all windows of 7 by 7 pixels that lie inside, with the sample covariance and the
/// constants K1 = 0.01 and K2 = 0.03 for 8-bit data: 1 for equal pictures, about 0 for unrelated
/// ones. Nothing when the sizes differ or a side is shorter than 7 pixels.
[[nodiscard]] std::optional<double> structural_similarity(const GrayImage& a, const GrayImage& b);

}  // namespace gantry::picture
