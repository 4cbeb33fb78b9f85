// SPDX-License-Identifier: Apache-2.0
// Which accessible frame stands for an X11 window. Pure rules over plain data.
#pragma once

#include "node.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gantry::atspi {

/// What the caller knows of the window. Every field may be missing; more fields, better match.
struct WindowHint {
  std::string handle;     ///< for messages only; AT-SPI does not know X11 ids
  std::uint32_t pid = 0;  ///< 0: unknown
  std::string title;
  std::optional<Bounds> bounds;  ///< client area in screen pixels
};

/// One top-level accessible that could be the window.
struct FrameCandidate {
  std::uint32_t pid = 0;
  std::string name;
  std::optional<Bounds> bounds;  ///< as reported
  bool window_relative = false;  ///< compare sizes only (GTK 4)
  bool showing = false;
};

struct FrameMatch {
  std::size_t index = 0;
  std::string rule;        ///< "pid+title+bounds", "pid+title", "pid+bounds", "pid+only_frame", …
  bool ambiguous = false;  ///< another candidate satisfied the same rule equally well
};

/// The best candidate, or nullopt when none is defensible: a different process with a different
/// title is never chosen just because it exists.
std::optional<FrameMatch> match_frame(const WindowHint& hint,
                                      const std::vector<FrameCandidate>& candidates);

/// Title comparison: 2 equal, 1 one contains the other, 0 different. Bidi marks, NBSP and repeated
/// blanks do not count.
int title_likeness(std::string_view a, std::string_view b);

/// How well a frame's box fits the window's, 0…1.
double bounds_likeness(const FrameCandidate& candidate, const Bounds& window);

}  // namespace gantry::atspi
