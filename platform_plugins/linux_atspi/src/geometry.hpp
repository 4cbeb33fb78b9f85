// SPDX-License-Identifier: Apache-2.0
// Judging and repairing the boxes that toolkits report. Pure functions.
#pragma once

#include "node.hpp"

#include <optional>

namespace gantry::atspi {

/// The box, or nullopt for what toolkits say of things that are not drawn: INT_MIN coordinates
/// (ATK, unmapped), −1 sizes, zero area, or numbers no X11 screen can have (beyond ±32768).
std::optional<Bounds> plausible_bounds(const Bounds& box);

/// Area of the intersection over area of the union, 0…1.
double overlap(const Bounds& a, const Bounds& b);

/// How a window's accessible coordinates relate to the screen.
struct FrameOffset {
  int dx = 0;
  int dy = 0;
  bool corrected() const { return dx != 0 || dy != 0; }
};

/// What to add to a toolkit's "screen" coordinates to make them screen coordinates, judged from
/// the frame's own reported box and the X window's true one.
/// `window_relative`: the toolkit is known to answer in window coordinates (GTK 4: GetExtents is
/// relative to the window's content box, measured on 4.8). Then the whole way to the window is
/// added, plus the border between the X window and that box (client-side decoration is the same
/// left and right; top and bottom are taken as equal). For other toolkits only an unmistakable
/// window-relative frame (at the origin, as large as the window, window elsewhere) is moved; a
/// frame that merely includes window-manager decoration is right as it is.
FrameOffset frame_offset(const std::optional<Bounds>& reported, const std::optional<Bounds>& window,
                         bool window_relative);

}  // namespace gantry::atspi
