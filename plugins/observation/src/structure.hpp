// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a client gets to see of a tree: filtered, cut by depth, shortened, paged (observer contract
// 1.4, GET /api/structure). The capture itself is never changed.

#include <gantry/result.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tree.hpp"

namespace gantry::observation {

struct StructureQuery {
  int depth = 5;  ///< Levels below the root that are shown; already clamped to the allowed range.
  std::vector<std::string> roles;          ///< Exact, case-sensitive; empty: all.
  std::vector<std::string> exclude_roles;  ///< Exact, case-sensitive.
  std::string name_regex;                  ///< Searched in names; empty or invalid: keep all.
  bool visible_only = false;
  bool prune_empty = false;
  int max_text_len = 0;        ///< Code points of names, values and descriptions; 0: no limit.
  int max_nodes = 0;           ///< Page size; 0: no paging.
  std::size_t max_bytes = 0;   ///< Size of the view as JSON; 0: no limit.
  std::string page_cursor;     ///< Id of the last node of the page before.
  std::optional<Rect> screen;  ///< Union of the monitors, for visible_only; unknown: not checked.
};

struct StructureView {
  /// nullptr when the cursor is unknown or past the end. Where nothing had to be left out this is
  /// the capture itself, which must then outlive the view.
  std::shared_ptr<const Node> tree;
  std::size_t node_count = 0;  ///< Nodes in the view; a page's own root is not counted.
  bool truncated = false;      ///< More pages follow.
  std::optional<std::string> next_cursor;
  bool depth_truncated = false;
  std::string warning;  ///< What was ignored, and why; empty: nothing.
};

/// Nodes that a filter refuses are dropped unless something below them passes; without prune_empty
/// a refused node that has children in the capture stays as structure. The root always stays.
[[nodiscard]] StructureView make_view(const Node& root, const StructureQuery& query);

}  // namespace gantry::observation
