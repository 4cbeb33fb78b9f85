// SPDX-License-Identifier: Apache-2.0
#pragma once
// The plugin's configuration, as plugin.yaml declares it.

#include <gantry/contracts/common.hpp>
#include <gantry/result.hpp>

#include <string>
#include <string_view>

namespace gantry::observation {

struct SketchSettings {
  int grid_width = 72;
  int grid_height = 24;
  bool unicode_box = false;
  bool role_glyphs = true;
  bool occlusion_prune = true;
  bool tab_index_badges = true;
  bool landmark_headers = true;
};
BOOST_DESCRIBE_STRUCT(SketchSettings, (),
                      (grid_width, grid_height, unicode_box, role_glyphs, occlusion_prune,
                       tab_index_badges, landmark_headers))

struct TreeSettings {
  int default_depth = 5;
  int max_depth = 8;
  std::int64_t cache_ttl = 2000;  ///< ms
  int sparse_threshold = 5;
  int max_nodes = 20000;
  std::int64_t budget = 3000;  ///< ms
};
BOOST_DESCRIBE_STRUCT(TreeSettings, (),
                      (default_depth, max_depth, cache_ttl, sparse_threshold, max_nodes, budget))

struct Switch {
  bool enabled = false;
};
BOOST_DESCRIBE_STRUCT(Switch, (), (enabled))

struct Settings {
  SketchSettings sketch;
  TreeSettings tree;
  Switch ocr{true};
  Switch vlm{false};
  bool index_fallback_for_acts = false;
};
BOOST_DESCRIBE_STRUCT(Settings, (), (sketch, tree, ocr, vlm, index_fallback_for_acts))

[[nodiscard]] Result<Settings> read_settings(std::string_view json);

}  // namespace gantry::observation
