// SPDX-License-Identifier: Apache-2.0
#pragma once
// Windows as clients see them: their order, and which one a request means (observer contract 1.3).

#include <gantry/result.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "geometry.hpp"

namespace gantry::observation {

struct Window {
  std::string uid;     ///< Stable while the window lives, e.g. "x11:2a00004".
  std::string handle;  ///< The platform's own handle as text.
  std::string title;
  std::string process;
  std::int64_t pid = 0;  ///< 0 when the platform does not say.
  Rect bounds;
  bool focused = false;
  bool minimized = false;
  std::optional<int> monitor_index;
  std::optional<double> scale_factor;
};

/// Focused first, then by title in lower case; equal titles keep the platform's order.
void order_windows(std::vector<Window>& windows);

/// How a request names a window. Priority: uid, then index, then title (substring, any case).
struct WindowSelector {
  std::string uid;
  std::optional<std::int64_t> index;
  std::string title;
  [[nodiscard]] bool given() const { return !uid.empty() || index.has_value() || !title.empty(); }
};

enum class MissingWindow {
  UseFocused,  ///< Reads: an index or title that fits nothing means the focused window.
  Refuse,      ///< Acts: it is WindowGone, because acting on the wrong window cannot be undone.
};

struct SelectedWindow {
  const Window* window = nullptr;  ///< Points into the list; never null.
  bool by_request = false;         ///< False when the focused window was taken for want of a match.
  std::string warning;             ///< Says which selector was ignored; empty: none.
};

/// The window that is meant, or WindowGone. An unknown uid is always WindowGone. Without a selector
/// it is the focused window, or the first when none has the focus. `windows` must be ordered.
[[nodiscard]] Result<SelectedWindow> select_window(const std::vector<Window>& windows,
                                                   const WindowSelector& selector,
                                                   MissingWindow missing);

}  // namespace gantry::observation
