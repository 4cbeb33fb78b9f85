// SPDX-License-Identifier: Apache-2.0
#pragma once
// Arithmetic on screen rectangles (physical pixels of the virtual desktop; the origin is the
// top-left corner of the primary monitor, so coordinates may be negative).

#include <gantry/contracts/common.hpp>

#include <algorithm>
#include <cstdint>

namespace gantry::observation {

/// First column and row after the rectangle; wide, because adapters report sentinel coordinates.
constexpr std::int64_t right_of(const Rect& r) { return std::int64_t{r.x} + r.width; }
constexpr std::int64_t bottom_of(const Rect& r) { return std::int64_t{r.y} + r.height; }

/// True when `inner` lies inside `outer`; shared edges count as inside.
constexpr bool covers(const Rect& outer, const Rect& inner) {
  return inner.x >= outer.x && inner.y >= outer.y && right_of(inner) <= right_of(outer) &&
         bottom_of(inner) <= bottom_of(outer);
}

/// True when the rectangles share at least one pixel.
inline bool intersects(const Rect& a, const Rect& b) {
  return !a.empty() && !b.empty() && a.x < right_of(b) && b.x < right_of(a) && a.y < bottom_of(b) &&
         b.y < bottom_of(a);
}

/// The smallest rectangle around both; an empty one adds nothing.
inline Rect united(const Rect& a, const Rect& b) {
  if (a.empty()) return b;
  if (b.empty()) return a;
  const std::int32_t x = std::min(a.x, b.x);
  const std::int32_t y = std::min(a.y, b.y);
  return {x, y, static_cast<std::int32_t>(std::max(right_of(a), right_of(b)) - x),
          static_cast<std::int32_t>(std::max(bottom_of(a), bottom_of(b)) - y)};
}

}  // namespace gantry::observation
