// SPDX-License-Identifier: Apache-2.0
#include "geometry.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>

namespace gantry::atspi {
namespace {

// X11 coordinates are 16 bit signed.
constexpr int kLimit = 32768;
// Window-manager frames and client-side shadows stay below this.
constexpr int kDecoration = 96;

bool near(int a, int b, int slack) { return std::abs(a - b) <= slack; }

}  // namespace

std::optional<Bounds> plausible_bounds(const Bounds& box) {
  if (box.width <= 0 || box.height <= 0) return std::nullopt;
  if (box.width > kLimit * 2 || box.height > kLimit * 2) return std::nullopt;
  if (box.x < -kLimit || box.x > kLimit || box.y < -kLimit || box.y > kLimit) return std::nullopt;
  return box;
}

double overlap(const Bounds& a, const Bounds& b) {
  const auto span = [](int a0, int a1, int b0, int b1) {
    return static_cast<double>(std::max(0, std::min(a1, b1) - std::max(a0, b0)));
  };
  const double shared =
      span(a.x, a.x + a.width, b.x, b.x + b.width) * span(a.y, a.y + a.height, b.y, b.y + b.height);
  const double total =
      static_cast<double>(a.width) * a.height + static_cast<double>(b.width) * b.height - shared;
  return total > 0 ? shared / total : 0;
}

FrameOffset frame_offset(const std::optional<Bounds>& reported, const std::optional<Bounds>& window,
                         bool window_relative) {
  if (!window) return {};
  if (window_relative) {
    FrameOffset offset{window->x, window->y};
    if (reported && reported->width <= window->width && reported->height <= window->height) {
      offset.dx += (window->width - reported->width) / 2 - reported->x;
      offset.dy += (window->height - reported->height) / 2 - reported->y;
    }
    return offset;
  }
  if (!reported) return {};
  const bool at_origin = reported->x == 0 && reported->y == 0;
  const bool same_size = near(reported->width, window->width, kDecoration) &&
                         near(reported->height, window->height, kDecoration);
  const bool elsewhere = !near(window->x, 0, kDecoration) || !near(window->y, 0, kDecoration);
  if (at_origin && same_size && elsewhere) return {window->x, window->y};
  return {};
}

}  // namespace gantry::atspi
