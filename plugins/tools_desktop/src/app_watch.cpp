// SPDX-License-Identifier: Apache-2.0
#include "app_watch.hpp"

#include <algorithm>

namespace gantry::desk {
namespace {

using observed::Window;

bool was_there(const Launch& launch, const Window& window) {
  return std::any_of(launch.before.begin(), launch.before.end(),
                     [&](const Window& one) { return one.uid == window.uid; });
}

bool is_called_so(const Launch& launch, const Window& window) {
  return !window.process.empty() &&
         (window.process == launch.program || window.process == launch.app_program);
}

}  // namespace

Sighting look_for(const Launch& launch, const std::vector<Window>& now, bool handed_over) {
  Sighting out;
  for (const Window& window : now) {
    if (was_there(launch, window)) continue;
    if (launch.pid != 0 && window.pid == launch.pid) return {&window, true, nullptr};
    if (is_called_so(launch, window)) {
      if (out.window == nullptr) out.window = &window;
    } else {
      out.other = &window;
    }
  }
  if (out.window != nullptr) return {out.window, true, nullptr};
  if (!handed_over) return out;
  for (const Window& window : now) {
    if (window.focused && is_called_so(launch, window)) return {&window, false, nullptr};
  }
  return out;
}

std::string words_of(const Window& window) {
  std::string out = "window '" + window.title + "'";
  if (!window.process.empty()) out += " of " + window.process;
  if (window.pid != 0) out += " (process " + std::to_string(window.pid) + ')';
  return out;
}

}  // namespace gantry::desk
