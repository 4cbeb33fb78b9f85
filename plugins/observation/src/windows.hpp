// SPDX-License-Identifier: Apache-2.0
#pragma once
// Windows as clients see them: their order, and which one a request means (observer contract 1.3).

#include <gantry/contracts/window.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "errors.hpp"
#include "json_object.hpp"

namespace gantry::observation {

/// The focused one first, then by title in lower case; equal titles keep the platform's order.
[[nodiscard]] std::vector<WindowInfo> in_order(const std::vector<WindowInfo>& windows);

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
  const WindowInfo* window = nullptr;  ///< Points into the list; never null.
  bool by_request = false;  ///< False when the focused window was taken for want of a match.
  std::string warning;      ///< Says which selector was ignored; empty: none.
};

/// Array of {window_uid, title} of at most five windows, those whose titles are nearest to `title`
/// first: one of them is mostly meant.
[[nodiscard]] RawJson near_windows_json(const std::vector<WindowInfo>& windows,
                                        std::string_view title);

/// The window that is meant, or WindowGone. An unknown uid is always WindowGone. Without a selector
/// it is the focused window, or the first when none has the focus. `windows` must be ordered.
[[nodiscard]] Outcome<SelectedWindow> select_window(const std::vector<WindowInfo>& windows,
                                                    const WindowSelector& selector,
                                                    MissingWindow missing);

}  // namespace gantry::observation
