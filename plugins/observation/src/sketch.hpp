// SPDX-License-Identifier: Apache-2.0
#pragma once
// The window drawn as text: boxes on a character grid with a legend (observer contract 2.10).
//
// The drawing is exact: programs compare it byte for byte. Cells count code points.

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tree.hpp"

namespace gantry::observation {

/// A text that was read from pixels.
struct SketchText {
  std::string text;
  double confidence = 0;  ///< The more certain one stays.
  Rect bounds;
};

struct SketchOptions {
  int grid_width = 72;
  int grid_height = 24;
  bool unicode_box = false;      ///< "┌─┐│└┘" instead of "+-|".
  bool role_glyphs = true;       ///< "[x] name", "▶ name", progress bars.
  bool occlusion_prune = true;   ///< Leave out what a later sibling covers completely.
  bool tab_index_badges = true;  ///< "①" on focusable elements in reading order.
  bool landmark_headers = true;  ///< " MenuBar "name" " on the top edge of landmarks.
  std::vector<SketchText>
      texts;  ///< Drawn over all, but not over borders and the tree's own texts.
};

/// One element of the structured form; `node` points into the tree that was drawn.
struct SketchElement {
  const Node* node = nullptr;
  std::string legend_key;
  std::optional<int> tab_index;  ///< From 1; only for focusable elements that were not pruned.
  bool occluded = false;         ///< Pruned, or below a pruned element.
  std::optional<std::array<int, 4>>
      bounds_grid;       ///< left, top, right, bottom cell; drawn ones only.
  std::string ocr_text;  ///< Read on an element that has no name, as a picture or a canvas.
};

struct Sketch {
  std::string text;
  std::vector<SketchElement> elements;                      ///< All nodes in pre-order.
  std::vector<std::pair<std::string, std::string>> legend;  ///< Key and label, in drawing order.
};

/// Draws `root` scaled so that `reference` (the window's bounds, or the root's own) fills the grid.
/// A grid without area gives an empty text.
[[nodiscard]] Sketch draw_sketch(const Node& root, const Rect& reference,
                                 const SketchOptions& options);

}  // namespace gantry::observation
