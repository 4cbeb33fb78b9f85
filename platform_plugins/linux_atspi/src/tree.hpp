// SPDX-License-Identifier: Apache-2.0
// What a tree read answers. Plain values: safe to hand to any thread once made.
#pragma once

#include "node.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gantry::atspi {

struct TreeNode {
  int parent = -1;        ///< index into Tree::nodes, always smaller than the own; −1: the root
  std::string role;       ///< observer vocabulary, "Button"
  std::string role_name;  ///< the toolkit's own, "push button"
  std::string name;
  std::string description;
  std::optional<std::string> value;  ///< text content; never set for password fields
  bool value_truncated = false;
  std::optional<Bounds> bounds;  ///< screen pixels; none when not showing or not drawn
  StateSet states;
  bool showing = false;  ///< false: exists but is not drawn (closed menu, hidden page)
  bool enabled = false;
  bool focused = false;
  std::optional<bool> selected;  ///< set only where the state has a meaning
  std::optional<bool> expanded;
  std::optional<bool> checked;
  std::optional<double> value_now;
  std::optional<double> value_min;
  std::optional<double> value_max;
  std::string keyboard_shortcut;  ///< "Ctrl+S"
  std::vector<ActionInfo> actions;
  std::string identifier;  ///< accessible id, or the page's own element id
  std::string native;      ///< "busname:path"
  bool children_truncated = false;
};

/// Why a tree is poorer than the window, and what would cure it.
struct Degraded {
  std::string reason;  ///< bridge_off | renderer_off | app_hung | no_a11y
  std::string message;
  std::string cure;
};

struct Tree {
  std::vector<TreeNode> nodes;  ///< document order (pre-order)
  std::string app_name;
  std::string toolkit;  ///< "gtk 3.24.38", "Chromium 156.0"
  std::uint32_t pid = 0;
  std::string matched_by;  ///< rule of match_frame()
  bool match_ambiguous = false;
  bool truncated = false;
  std::string truncated_reason;  ///< deadline | node_budget | children_budget | app_hung
  std::optional<Degraded> degraded;
  std::int64_t captured_at = 0;  ///< Unix milliseconds of the capture, also for a cached answer
  double capture_ms = 0;         ///< time of the capture
  std::uint64_t sequence = 0;    ///< equal numbers from one application: equal trees
  bool from_cache = false;       ///< answered without reading
  std::uint64_t calls = 0;       ///< D-Bus calls this answer cost
};

}  // namespace gantry::atspi
