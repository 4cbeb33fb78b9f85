// SPDX-License-Identifier: Apache-2.0
//
// Rectangles in root-window pixels. X11 has one coordinate space: (0, 0) is the top left corner of
// the root window, monitors and windows lie inside (or stick out of) it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

namespace gantry::x11 {

struct Point {
  std::int32_t x = 0;
  std::int32_t y = 0;
  friend bool operator==(const Point&, const Point&) = default;
};

struct Rect {
  std::int32_t x = 0;
  std::int32_t y = 0;
  std::int32_t width = 0;
  std::int32_t height = 0;

  // Wider than the fields: requests may hold any numbers.
  [[nodiscard]] std::int64_t right() const { return std::int64_t{x} + width; }
  [[nodiscard]] std::int64_t bottom() const { return std::int64_t{y} + height; }
  [[nodiscard]] bool empty() const { return width <= 0 || height <= 0; }
  [[nodiscard]] bool contains(Point p) const {
    return p.x >= x && p.x < right() && p.y >= y && p.y < bottom();
  }
  [[nodiscard]] bool contains(const Rect& r) const {
    return r.x >= x && r.y >= y && r.right() <= right() && r.bottom() <= bottom();
  }
  friend bool operator==(const Rect&, const Rect&) = default;
};

inline Rect intersection(const Rect& a, const Rect& b) {
  const std::int32_t x = std::max(a.x, b.x);
  const std::int32_t y = std::max(a.y, b.y);
  const std::int64_t width = std::max<std::int64_t>(0, std::min(a.right(), b.right()) - x);
  const std::int64_t height = std::max<std::int64_t>(0, std::min(a.bottom(), b.bottom()) - y);
  // Neither is more than that of a or b.
  return {x, y, static_cast<std::int32_t>(width), static_cast<std::int32_t>(height)};
}

inline std::int64_t area(const Rect& r) {
  return r.empty() ? 0 : static_cast<std::int64_t>(r.width) * r.height;
}

/// Widths of what surrounds a window, in pixels.
struct Extents {
  std::int32_t left = 0;
  std::int32_t right = 0;
  std::int32_t top = 0;
  std::int32_t bottom = 0;
  friend bool operator==(const Extents&, const Extents&) = default;
};

inline Rect grown(const Rect& r, const Extents& e) {
  return {r.x - e.left, r.y - e.top, r.width + e.left + e.right, r.height + e.top + e.bottom};
}
inline Rect shrunk(const Rect& r, const Extents& e) {
  return grown(r, {-e.left, -e.right, -e.top, -e.bottom});
}

/// "1920x1080 at 0,0", the way error messages name an area.
inline std::string to_text(const Rect& r) {
  return std::to_string(r.width) + "x" + std::to_string(r.height) + " at " + std::to_string(r.x) +
         "," + std::to_string(r.y);
}

}  // namespace gantry::x11
