// SPDX-License-Identifier: Apache-2.0
#pragma once
// The plugin's configuration, as plugin.yaml declares it.

#include <gantry/contracts/common.hpp>
#include <gantry/result.hpp>

#include <string>
#include <string_view>
#include <vector>

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
  std::string fuse = "off";    ///< "sparse", "always"
};
BOOST_DESCRIBE_STRUCT(TreeSettings, (),
                      (default_depth, max_depth, cache_ttl, sparse_threshold, max_nodes, budget,
                       fuse))

/// How long to wait for an application after an act; ms.
struct SettleSettings {
  std::int64_t reaction = 100;
  std::int64_t quiet = 30;
  std::int64_t cap = 300;
};
BOOST_DESCRIBE_STRUCT(SettleSettings, (), (reaction, quiet, cap))

struct WaitSettings {
  std::int64_t max_timeout_ms = 60000;
};
BOOST_DESCRIBE_STRUCT(WaitSettings, (), (max_timeout_ms))

/// Answers in short lines.
struct OutputSettings {
  int max_bytes = 48000;
};
BOOST_DESCRIBE_STRUCT(OutputSettings, (), (max_bytes))

struct Switch {
  bool enabled = false;
};
BOOST_DESCRIBE_STRUCT(Switch, (), (enabled))

/// Descriptions by what looks at pictures, and what is told to it besides the picture.
struct VlmSettings {
  bool enabled = false;
  bool ground_with_tree = true;
  bool ground_with_ocr = true;
};
BOOST_DESCRIBE_STRUCT(VlmSettings, (), (enabled, ground_with_tree, ground_with_ocr))

struct TracingSettings {
  std::string dir = "./traces";
  std::vector<std::string> replay_roots;  ///< Besides `dir`.
  std::int64_t screenshot_every_n_actions = 5;
  std::int64_t max_args_bytes = 4096;
  std::vector<std::string> redact_keys{"api_key", "password", "Authorization", "token",
                                       "confirm_token"};
  std::int64_t max_file_bytes = 16 << 20;
  std::int64_t max_files = 16;
  std::int64_t max_traces = 1000;
};
BOOST_DESCRIBE_STRUCT(TracingSettings, (),
                      (dir, replay_roots, screenshot_every_n_actions, max_args_bytes, redact_keys,
                       max_file_bytes, max_files, max_traces))

struct Settings {
  SketchSettings sketch;
  TreeSettings tree;
  SettleSettings settle;
  WaitSettings wait_for;
  OutputSettings output;
  Switch ocr{true};
  VlmSettings vlm;
  bool index_fallback_for_acts = false;
  bool require_guard = true;
  std::vector<std::string> reference_roots;  ///< Folders of pictures that assert_state compares.
  TracingSettings tracing;
};
BOOST_DESCRIBE_STRUCT(Settings, (),
                      (sketch, tree, settle, wait_for, output, ocr, vlm, index_fallback_for_acts,
                       reference_roots, tracing, require_guard))

[[nodiscard]] Result<Settings> read_settings(std::string_view json);

}  // namespace gantry::observation
