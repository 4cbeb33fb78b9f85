// SPDX-License-Identifier: Apache-2.0
#include "window_tree.hpp"

namespace gantry::observation {

Task<Outcome<WindowTree>> chosen_tree(Engine& engine, const ToolCall& call, Freshness freshness) {
  const Outcome<ChosenWindow> window =
      co_await engine.directory.choose(call.arguments, MissingWindow::UseFocused);
  if (!window.ok()) co_return window.failure();
  const Outcome<TreeCapture> capture = co_await engine.trees.get(window->info, freshness);
  if (!capture.ok()) co_return capture.failure();
  co_return WindowTree{*window, *capture};
}

}  // namespace gantry::observation
