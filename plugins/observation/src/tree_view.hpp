// SPDX-License-Identifier: Apache-2.0
#pragma once
// The one place through which trees leave the engine: what clients may see of a capture. Answers,
// matches, diffs, tokens and snapshots are all made of shown trees, so that what is hidden stays
// hidden in each of them and both sides of a comparison hide the same. What the rules hide is taken
// out as a capture is made (see Trees::redact_with), so a capture is already what may be shown.

#include <gantry/contracts/window.hpp>

#include <memory>

#include "engine.hpp"
#include "tree.hpp"

namespace gantry::observation {

/// The capture, which has been redacted when it was made.
[[nodiscard]] std::shared_ptr<const Tree> shown_tree(Engine& engine, const WindowInfo& window,
                                                     std::shared_ptr<const Tree> captured);

/// `capture` with its tree as clients may see it.
[[nodiscard]] TreeCapture shown(Engine& engine, const WindowInfo& window, TreeCapture capture);

}  // namespace gantry::observation
