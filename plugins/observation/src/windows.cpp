// SPDX-License-Identifier: Apache-2.0
#include "windows.hpp"

#include <gantry/counted.hpp>

#include <fmt/format.h>

#include <algorithm>

#include "errors.hpp"
#include "json_object.hpp"
#include "near_matches.hpp"
#include "text.hpp"

namespace gantry::observation {
namespace {

constexpr std::size_t kNamed = 5;
constexpr std::size_t kNearest = 3;  // titles in a warning

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

/// Positions of the windows, the one whose title is nearest first.
std::vector<std::size_t> by_distance(const std::vector<WindowInfo>& windows,
                                     std::string_view title) {
  std::vector<std::pair<double, std::size_t>> order;
  order.reserve(windows.size());
  for (std::size_t i = 0; i < windows.size(); ++i) {
    order.emplace_back(title.empty() ? 0 : name_distance(title, windows[i].title), i);
  }
  std::sort(order.begin(), order.end());
  std::vector<std::size_t> out;
  out.reserve(order.size());
  for (const auto& [distance, at] : order) out.push_back(at);
  return out;
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

Failure no_such_window(const std::string& asked, const WindowSelector& selector,
                       const std::vector<WindowInfo>& windows) {
  JsonObject context;
  context.add_if("window_uid", selector.uid);
  context.add("did_you_mean", near_windows_json(windows, selector.title));
  return {Fault::WindowGone,
          fmt::format("no window has {}; {} open, list_windows names them", asked,
                      counted(windows.size(), "window is", "windows are")),
          context.text(), nullptr};
}

/// "; nearest: 'Terminal', 'Editor'"; nothing when no title was asked for.
std::string nearest_titles(const std::vector<WindowInfo>& windows, const std::string& title) {
  if (title.empty()) return {};
  std::string out;
  const std::vector<std::size_t> order = by_distance(windows, title);
  for (std::size_t i = 0; i < std::min(order.size(), kNearest); ++i) {
    const std::string shown = shorten(windows[order[i]].title, 80, 79);
    out += fmt::format("{}'{}'", i == 0 ? "; nearest: " : ", ", shown);
  }
  return out;
}

}  // namespace

std::vector<WindowInfo> in_order(const std::vector<WindowInfo>& windows) {
  std::vector<std::pair<std::string, std::size_t>> keys;
  keys.reserve(windows.size());
  for (std::size_t i = 0; i < windows.size(); ++i) {
    std::string key = to_lower(windows[i].title);
    key.insert(key.begin(), windows[i].focused ? '0' : '1');
    keys.emplace_back(std::move(key), i);
  }
  std::sort(keys.begin(), keys.end());  // the index breaks ties, so the order is stable
  std::vector<WindowInfo> ordered;
  ordered.reserve(windows.size());
  for (const auto& [key, index] : keys) ordered.push_back(windows[index]);
  return ordered;
}

RawJson near_windows_json(const std::vector<WindowInfo>& windows, std::string_view title) {
  const std::vector<std::size_t> order = by_distance(windows, title);
  JsonArray out;
  for (std::size_t i = 0; i < std::min(order.size(), kNamed); ++i) {
    const WindowInfo& one = windows[order[i]];
    JsonObject window;
    window.add("window_uid", one.uid);
    window.add("title", shorten(one.title, 80, 79));
    out.add(window);
  }
  return out.done();
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
  return SelectedWindow{&focused_or_first(windows), false,
                        fmt::format("no window has {}; the focused window was used instead{}",
                                    found.asked, nearest_titles(windows, selector.title))};
}

}  // namespace gantry::observation
