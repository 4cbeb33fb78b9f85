// SPDX-License-Identifier: Apache-2.0
#pragma once
// What changed between two views of a window (observer contract 2.4). Both sides must be cut and
// redacted alike; every member that node_json() prints takes part.
//
// Custom form, in this order for each element that is on both sides:
//   {op:"replace", path, fields:{…new values…}}    what differs in it, ids aside
//   {op:"move", from, to} and the changes below    for its children, in old order
//   {op:"remove", path}                            by old position, ascending
//   {op:"add", path, node}                         by new position, ascending
// Paths are child indices with / between, the root is "". Parents are named by their new position.
// Children that are neither removed, moved nor added keep their order and fill the places between.
//
// JSON-patch form: RFC 6902, to be applied in order. Applied to the JSON of the old view it gives
// exactly the JSON of the new one, ids included. When that would be longer than the new view
// itself, it is one operation that replaces the whole document.

#include <string>
#include <vector>

#include "json_object.hpp"
#include "tree.hpp"

namespace gantry::observation {

enum class DiffForm { Custom, JsonPatch };

struct TreeDiff {
  RawJson changes;        ///< A JSON array.
  std::size_t count = 0;  ///< Its length.
};

[[nodiscard]] TreeDiff diff_trees(const Node& before, const Node& after, DiffForm form);

/// What changed, one line for each: "+ line" added (with everything below), "- line" removed,
/// "~ line (members)" changed in these members, "> old id -> line" moved among its siblings.
[[nodiscard]] std::vector<std::string> diff_lines(const Node& before, const Node& after);

}  // namespace gantry::observation
