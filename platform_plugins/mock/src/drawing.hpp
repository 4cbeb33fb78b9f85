// SPDX-License-Identifier: Apache-2.0
#pragma once
// The picture of the mock desktop: a dark editor, 800 by 600 pixels, the same for every window.

#include <gantry/contracts/a11y.hpp>
#include <gantry/media.hpp>

namespace gantry::mock {

/// Draws the editor's elements where the tree says they are, relative to its root. What the tree
/// puts outside the picture is not in it.
[[nodiscard]] Image draw_editor(const A11yTree& tree);

}  // namespace gantry::mock
