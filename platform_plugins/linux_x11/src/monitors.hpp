// SPDX-License-Identifier: Apache-2.0
//
// Monitors by RandR 1.5, by the CRTCs of RandR 1.2, or the whole screen when there is no RandR.
#pragma once

#include "session.hpp"

#include <string>
#include <vector>

namespace gantry::x11 {

struct Monitor {
  std::string name;  // output name ("HDMI-1"), or "screen"
  Rect bounds;       // root pixels
  bool primary = false;
  /// What toolkits draw at: Xft.dpi / 96, else 1. X11 has one scale for all monitors.
  double scale = 1.0;
};

/// Primary first, then left to right, top to bottom; never empty. [may block: two round trips]
Result<std::vector<Monitor>> list_monitors(const Session& session);

/// Index of the monitor that shows most of `bounds`; -1 when none shows any of it.
int monitor_of(const std::vector<Monitor>& monitors, const Rect& bounds);

/// The value of Xft.dpi in a RESOURCE_MANAGER text, 0 when there is none.
double xft_dpi(std::string_view resources);

}  // namespace gantry::x11
