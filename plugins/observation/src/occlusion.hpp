// SPDX-License-Identifier: Apache-2.0
#pragma once
// What of a rectangle can be seen: the windows above it are cut away (observer contract 2.8).

#include <gantry/contracts/window.hpp>

#include <optional>
#include <span>
#include <vector>

#include "geometry.hpp"

namespace gantry::observation {

/// What a window covers on the screen: its frame, or its bounds where it has none.
[[nodiscard]] inline const Rect& reach(const WindowInfo& window) {
  return window.frame.empty() ? window.bounds : window.frame;
}

/// The common part; empty when there is none.
[[nodiscard]] Rect intersection(const Rect& a, const Rect& b);

/// What is left of `whole` when every one of `covers` is cut out of it. Each cut leaves up to four
/// strips in the order top, bottom, left, right.
[[nodiscard]] std::vector<Rect> subtract(const Rect& whole, std::span<const Rect> covers);

/// The frames of the windows that lie above `window`, from the list that includes pop-ups. A
/// pop-up of the same process is not counted: its elements belong to the window's own tree.
[[nodiscard]] std::vector<Rect> frames_above(const std::vector<WindowInfo>& windows,
                                             const WindowInfo& window);

/// The parts of `area` that are on the screen and under no other window. `screen` unknown: the
/// whole coordinate space of the protocol.
[[nodiscard]] std::vector<Rect> visible_parts(const Rect& area, const std::optional<Rect>& screen,
                                              std::span<const Rect> covers);

struct ScreenPoint {
  std::int32_t x = 0;
  std::int32_t y = 0;
};

/// Where to click an element of these bounds: its centre when that can be seen, else the centre of
/// its largest visible part.
[[nodiscard]] ScreenPoint point_in(const Rect& bounds, std::span<const Rect> parts);

/// Where to click a window to raise it (observer contract 2.9): near the top of its topmost, then
/// widest part. `title_bar`: the bounds of a title bar in its tree, when there is one.
[[nodiscard]] ScreenPoint raising_point(std::span<const Rect> parts,
                                        const std::optional<Rect>& title_bar);

}  // namespace gantry::observation
