// SPDX-License-Identifier: Apache-2.0
#include "sketch_tool.hpp"

#include <algorithm>

#include "node_json.hpp"

namespace gantry::observation {
namespace {

constexpr std::int64_t kMaxGridSide = 1000;
/// More cells than any screen shows as text; drawing as many takes less than a millisecond.
constexpr std::int64_t kMostCellsOnStrand = 32'768;

DrawnSketch draw(const Node& root, const Rect& reference, const SketchOptions& options,
                 bool structured) {
  const Sketch sketch = draw_sketch(root, reference, options);
  DrawnSketch drawn;
  append_json_string(drawn.text.text, sketch.text);
  if (!structured) return drawn;
  JsonArray elements;
  for (const SketchElement& element : sketch.elements) elements.add(sketch_element_json(element));
  drawn.elements = elements.done();
  JsonObject legend;
  for (const auto& [key, label] : sketch.legend) legend.add(key, label);
  drawn.legend.text = legend.text();
  return drawn;
}

/// Whether the grid is so large that it is drawn beside the strand.
bool draws_aside(const SketchOptions& options) {
  return options.grid_width > 0 && options.grid_height > 0 &&
         std::int64_t{options.grid_width} * options.grid_height > kMostCellsOnStrand;
}

}  // namespace

SketchOptions sketch_options(const SketchSettings& settings, const Arguments& arguments) {
  const auto side = [&](std::string_view name, int configured) {
    const std::int64_t asked = arguments.integer_or_nothing(name).value_or(0);
    return asked == 0 ? configured
                      : static_cast<int>(std::clamp(asked, -kMaxGridSide, kMaxGridSide));
  };
  SketchOptions options;
  options.grid_width = side("grid_width", settings.grid_width);
  options.grid_height = side("grid_height", settings.grid_height);
  options.unicode_box = settings.unicode_box;
  options.role_glyphs = settings.role_glyphs;
  options.occlusion_prune = settings.occlusion_prune;
  options.tab_index_badges = settings.tab_index_badges;
  options.landmark_headers = settings.landmark_headers;
  return options;
}

Task<Outcome<DrawnSketch>> drawn_sketch(Engine& engine, std::shared_ptr<const Tree> tree,
                                        Rect reference, SketchOptions options, bool structured) {
  if (!draws_aside(options)) co_return draw(tree->root, reference, options, structured);
  DrawnSketch drawn;
  std::function<void()> work = [&] { drawn = draw(tree->root, reference, options, structured); };
  const Result<void> done = co_await engine.desktop.offload(std::move(work));
  if (!done.ok()) co_return failure(Fault::Internal, "drawing a sketch: " + done.error().message);
  co_return drawn;
}

}  // namespace gantry::observation
