// SPDX-License-Identifier: Apache-2.0
#include "windows.hpp"

#include <gantry/counted.hpp>

#include <fmt/format.h>

#include <algorithm>

#include "errors.hpp"
#include "json_object.hpp"
#include "text.hpp"

namespace gantry::observation {
namespace {

constexpr std::size_t kNamed = 5;

const WindowInfo& focused_or_first(const std::vector<WindowInfo>& windows) {
  const auto focused = std::find_if(windows.begin(), windows.end(),
                                    [](const WindowInfo& window) { return window.focused; });
  return focused != windows.end() ? *focused : windows.front();
}

const WindowInfo* find_by_uid(const std::vector<WindowInfo>& windows, const std::string& uid) {
  const auto found = std::find_if(windows.begin(), windows.end(),
                                  [&](const WindowInfo& window) { return window.uid == uid; });
  return found != windows.end() ? &*found : nullptr;
}

const WindowInfo* find_by_title(const std::vector<WindowInfo>& windows, const std::string& part) {
  const std::string wanted = to_lower(part);
  const auto found = std::find_if(windows.begin(), windows.end(), [&](const WindowInfo& window) {
    return to_lower(window.title).find(wanted) != std::string::npos;
  });
  return found != windows.end() ? &*found : nullptr;
}

struct Lookup {
  const WindowInfo* window;
  std::string asked;  ///< "window_index 7", for messages.
};

Lookup look_up(const std::vector<WindowInfo>& windows, const WindowSelector& selector) {
  if (!selector.uid.empty()) {
    return {find_by_uid(windows, selector.uid), fmt::format("window_uid '{}'", selector.uid)};
  }
  if (selector.index) {
    const bool in_range =
        *selector.index >= 0 && static_cast<std::size_t>(*selector.index) < windows.size();
    return {in_range ? &windows[static_cast<std::size_t>(*selector.index)] : nullptr,
            fmt::format("window_index {}", *selector.index)};
  }
  return {find_by_title(windows, selector.title), fmt::format("window_title '{}'", selector.title)};
}

/// Names some that there are: one of them is mostly meant.
Failure no_such_window(const std::string& asked, const WindowSelector& selector,
                       const std::vector<WindowInfo>& windows) {
  JsonArray there;
  for (std::size_t i = 0; i < windows.size() && i < kNamed; ++i) {
    JsonObject window;
    window.add("window_uid", windows[i].uid);
    window.add("title", shorten(windows[i].title, 80, 79));
    there.add(window);
  }
  JsonObject context;
  context.add_if("window_uid", selector.uid);
  context.add("did_you_mean", there.done());
  return {Fault::WindowGone,
          fmt::format("no window has {}; {} open, list_windows names them", asked,
                      counted(windows.size(), "window is", "windows are")),
          context.text(), nullptr};
}

}  // namespace

void order_windows(std::vector<WindowInfo>& windows) {
  std::vector<std::pair<std::string, std::size_t>> keys;
  keys.reserve(windows.size());
  for (std::size_t i = 0; i < windows.size(); ++i) {
    keys.emplace_back((windows[i].focused ? "0" : "1") + to_lower(windows[i].title), i);
  }
  std::sort(keys.begin(), keys.end());  // the index breaks ties, so the order is stable
  std::vector<WindowInfo> ordered;
  ordered.reserve(windows.size());
  for (const auto& [key, index] : keys) ordered.push_back(std::move(windows[index]));
  windows = std::move(ordered);
}

Outcome<SelectedWindow> select_window(const std::vector<WindowInfo>& windows,
                                      const WindowSelector& selector, MissingWindow missing) {
  if (windows.empty()) {
    return failure(Fault::WindowGone, "there are no windows on this desktop",
                   {{"window_uid", selector.uid}});
  }
  if (!selector.given()) return SelectedWindow{&focused_or_first(windows), false, {}};

  const Lookup found = look_up(windows, selector);
  if (found.window != nullptr) {
    const bool both = !selector.uid.empty() && selector.index.has_value();
    return SelectedWindow{
        found.window, true,
        both ? "both window_index and window_uid given; window_uid used" : std::string()};
  }
  if (!selector.uid.empty() || missing == MissingWindow::Refuse) {
    return no_such_window(found.asked, selector, windows);
  }
  return SelectedWindow{
      &focused_or_first(windows), false,
      fmt::format("no window has {}; the focused window was used instead", found.asked)};
}

}  // namespace gantry::observation
