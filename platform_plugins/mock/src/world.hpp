// SPDX-License-Identifier: Apache-2.0
#pragma once
// The deterministic desktop: three windows that never change, all with the tree of a small editor
// (observer contract 2.12). Immutable after construction; safe on any thread.

#include <gantry/contracts/a11y.hpp>
#include <gantry/contracts/window.hpp>

#include <string>
#include <string_view>

namespace gantry::mock {

class World {
 public:
  /// `nonce` makes window uids of different runs differ, so that a client that keeps one across a
  /// restart is told that its window is gone.
  explicit World(std::string_view nonce);

  /// Bottom to top; the editor has the focus.
  [[nodiscard]] const WindowList& windows() const { return windows_; }
  /// The window with this handle, or nullptr.
  [[nodiscard]] const WindowInfo* find(std::string_view handle) const;
  /// The tree that every window shows, without capture times.
  [[nodiscard]] const A11yTree& tree() const { return tree_; }

 private:
  WindowList windows_;
  A11yTree tree_;
};

}  // namespace gantry::mock
