// SPDX-License-Identifier: Apache-2.0
#include "tree_view.hpp"

namespace gantry::observation {

std::shared_ptr<const Tree> shown_tree(Engine& /*engine*/, const WindowInfo& /*window*/,
                                       std::shared_ptr<const Tree> captured) {
  return captured;
}

TreeCapture shown(Engine& engine, const WindowInfo& window, TreeCapture capture) {
  capture.tree = shown_tree(engine, window, std::move(capture.tree));
  return capture;
}

}  // namespace gantry::observation
