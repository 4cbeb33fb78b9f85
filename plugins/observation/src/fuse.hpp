// SPDX-License-Identifier: Apache-2.0
#pragma once
// What is seen of a window, as elements beside those that accessibility reports: controls and icons
// by their shape, texts by reading them. Pixels come through the shield and texts are redacted, as
// everywhere.

#include <gantry/contracts/vision.hpp>

#include <memory>
#include <vector>

#include "engine.hpp"
#include "ocr.hpp"

namespace gantry::observation {

/// Elements for what is not in `root` yet. Where the tree names an element that can be read and
/// reads differently, its `ocr_text` is set. Bounds are screen pixels. Pure.
[[nodiscard]] std::vector<Node> seen_elements(Node& root,
                                              const std::vector<VisualElement>& controls,
                                              const std::vector<SeenLine>& lines);

// fuse_tree() is declared in engine.hpp, which wires it. Its answer is nullptr when the picture
// cannot be taken or read, or nothing is on it.

}  // namespace gantry::observation
