// SPDX-License-Identifier: Apache-2.0
#pragma once
// The desktop's windows and monitors, read anew for each tool.

#include <optional>
#include <string>
#include <vector>

#include "arguments.hpp"
#include "desktop.hpp"
#include "windows.hpp"

namespace gantry::observation {

struct WindowsNow {
  std::vector<WindowInfo> windows;  ///< Ordered as clients see them.
  bool is_mock = false;
};

/// One window, with what a tool needs to know about how it was found.
struct ChosenWindow {
  WindowInfo info;
  bool by_request = false;
  std::string warning;
};

class Directory {
 public:
  explicit Directory(Desktop& desktop) : desktop_(desktop) {}

  /// PlatformUnsupported when no window system answers.
  Task<Outcome<WindowsNow>> list();
  /// The window that window_uid, window_index or window_title mean, else the focused one.
  Task<Outcome<ChosenWindow>> choose(const Arguments& arguments, MissingWindow missing);
  /// Empty when no display is there.
  Task<Answer<MonitorList>> monitors() { return desktop_.monitors(); }

  /// What the last answer said about the adapter; "none" before the first.
  [[nodiscard]] const std::string& adapter() const { return adapter_; }
  [[nodiscard]] const std::string& platform() const { return platform_; }
  [[nodiscard]] bool is_mock() const { return is_mock_; }
  /// Something has answered, be it that there is no window system.
  [[nodiscard]] bool probed() const { return probed_; }

 private:
  Desktop& desktop_;
  std::string adapter_ = "none";
  std::string platform_ = "Linux";
  bool is_mock_ = false;
  bool probed_ = false;
};

/// Reads the three window parameters; BadRequest when window_index is no integer.
[[nodiscard]] Outcome<WindowSelector> window_selector(const Arguments& arguments);

/// The union of all monitors, or nothing when there is none.
[[nodiscard]] std::optional<Rect> screen_of(const MonitorList& monitors);

}  // namespace gantry::observation
