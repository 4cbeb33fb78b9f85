// SPDX-License-Identifier: Apache-2.0
#pragma once
// Integer rectangles in physical pixels of the virtual desktop (the origin is the top-left corner of
// the primary monitor; coordinates may be negative).

namespace gantry::observation {

struct Rect {
  int x = 0;
  int y = 0;
  int width = 0;
  int height = 0;

  /// True when the rectangle covers at least one pixel.
  [[nodiscard]] constexpr bool has_area() const { return width > 0 && height > 0; }
  [[nodiscard]] constexpr long right() const { return static_cast<long>(x) + width; }
  [[nodiscard]] constexpr long bottom() const { return static_cast<long>(y) + height; }

  /// True when `inner` lies inside this rectangle; shared edges count as inside.
  [[nodiscard]] constexpr bool contains(const Rect& inner) const {
    return inner.x >= x && inner.y >= y && inner.right() <= right() && inner.bottom() <= bottom();
  }
  [[nodiscard]] constexpr bool contains_point(int px, int py) const {
    return px >= x && py >= y && px < right() && py < bottom();
  }
  [[nodiscard]] constexpr bool intersects(const Rect& other) const {
    return has_area() && other.has_area() && x < other.right() && other.x < right() &&
           y < other.bottom() && other.y < bottom();
  }
  friend constexpr bool operator==(const Rect&, const Rect&) = default;
};

}  // namespace gantry::observation
