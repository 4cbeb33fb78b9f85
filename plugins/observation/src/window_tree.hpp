// SPDX-License-Identifier: Apache-2.0
#pragma once
// The window that a call means, and what it shows.

#include "engine.hpp"

namespace gantry::observation {

struct WindowTree {
  ChosenWindow window;
  TreeCapture capture;
};

/// Chooses by window_uid, window_index or window_title, else the focused window, and reads its
/// tree. Fails like Directory::choose() and Trees::get().
Task<Outcome<WindowTree>> chosen_tree(Engine& engine, const ToolCall& call, Freshness freshness);

}  // namespace gantry::observation
