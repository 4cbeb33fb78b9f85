// SPDX-License-Identifier: Apache-2.0
//
// Pictures of text, drawn by the test itself.
#pragma once

#include <gantry/contracts/common.hpp>
#include <gantry/media.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gantry::ocr::test {

struct Colour {
  double red = 0;  // 0 to 1
  double green = 0;
  double blue = 0;
};

struct Palette {
  Colour ground;
  Colour text;
};

inline constexpr Palette kLight{{1, 1, 1}, {0.1, 0.1, 0.1}};
inline constexpr Palette kDark{{0.12, 0.13, 0.16}, {0.85, 0.86, 0.88}};

/// A text at its upper left corner; `size` in pixels as fonts give it. With `bar` it stands on a
/// bar of its own colours, as a chosen row does, or on a button with round corners.
struct Label {
  std::string text;
  std::int32_t x = 0;
  std::int32_t y = 0;
  std::int32_t size = 13;
  std::optional<Palette> bar{};
  bool button = false;
};

/// Draws the labels with DejaVu Sans. `boxes`, when given, becomes where their ink is.
[[nodiscard]] Image draw(std::int32_t width, std::int32_t height, const Palette& palette,
                         const std::vector<Label>& labels, std::vector<Rect>* boxes = nullptr);

/// The same picture in another layout of pixels.
[[nodiscard]] Image as_format(const Image& bgrx, PixelFormat format);

/// Insertions, deletions and replacements between two texts, in bytes.
[[nodiscard]] std::size_t edits(const std::string& a, const std::string& b);

}  // namespace gantry::ocr::test
