// SPDX-License-Identifier: Apache-2.0
#include "directory.hpp"

#include "geometry.hpp"

namespace gantry::observation {

Task<Outcome<WindowsNow>> Directory::list() {
  Answer<WindowList> answer = co_await desktop_.windows();
  probed_ = true;
  if (!answer.ok()) co_return failure_from(answer.error());
  const WindowList& list = **answer;
  if (!list.adapter.empty()) adapter_ = list.adapter;
  if (!list.platform.empty()) platform_ = list.platform;
  is_mock_ = list.is_mock;
  co_return WindowsNow{in_order(list.windows), list.is_mock};
}

Task<Outcome<ChosenWindow>> Directory::choose(const Arguments& arguments, MissingWindow missing) {
  const Outcome<WindowSelector> selector = window_selector(arguments);
  if (!selector.ok()) co_return selector.failure();
  const Outcome<WindowsNow> now = co_await list();
  if (!now.ok()) co_return now.failure();
  const Outcome<SelectedWindow> found = select_window(now->windows, *selector, missing);
  if (!found.ok()) co_return found.failure();
  co_return ChosenWindow{*found->window, found->by_request, found->warning};
}

Outcome<WindowSelector> window_selector(const Arguments& arguments) {
  const auto index = arguments.integer("window_index");
  if (!index.ok()) return index.failure();
  return WindowSelector{arguments.text("window_uid"), *index, arguments.text("window_title")};
}

std::optional<Rect> screen_of(const MonitorList& monitors) {
  Rect all;
  for (const MonitorInfo& monitor : monitors.monitors) all = united(all, monitor.bounds);
  return all.empty() ? std::nullopt : std::optional(all);
}

}  // namespace gantry::observation
