// SPDX-License-Identifier: Apache-2.0
#pragma once
// Sketches as answers of tools. A large one takes many milliseconds to draw and to write as JSON,
// and is drawn beside the strand, so that whoever asks for many of them holds up nobody else.

#include "engine.hpp"
#include "sketch.hpp"

namespace gantry::observation {

/// The configured sketch with the call's grid_width and grid_height; 0 and what is no integer mean
/// the default, and a grid is at most 1000 cells on each side.
[[nodiscard]] SketchOptions sketch_options(const SketchSettings& settings,
                                           const Arguments& arguments);

/// A sketch as JSON.
struct DrawnSketch {
  RawJson text;      ///< The drawing, a string.
  RawJson elements;  ///< All elements in pre-order, an array; only if structured.
  RawJson legend;    ///< Labels by key, an object; only if structured.
};

/// Draws the tree as draw_sketch() does. Fails for want of memory only.
Task<Outcome<DrawnSketch>> drawn_sketch(Engine& engine, std::shared_ptr<const Tree> tree,
                                        Rect reference, SketchOptions options, bool structured);

}  // namespace gantry::observation
