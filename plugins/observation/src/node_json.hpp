// SPDX-License-Identifier: Apache-2.0
#pragma once
// Elements and rectangles on the wire (observer contract 1.4).

#include "json_object.hpp"
#include "sketch.hpp"
#include "tree.hpp"

namespace gantry::observation {

[[nodiscard]] RawJson rect_json(const Rect& rect);
/// A node with everything below it.
[[nodiscard]] std::string node_json(const Node& node);
/// An element of the structured sketch.
[[nodiscard]] JsonObject sketch_element_json(const SketchElement& element);

}  // namespace gantry::observation
