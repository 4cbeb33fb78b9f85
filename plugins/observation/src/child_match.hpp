// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which child of the old node is which child of the new one. The cost is close to linear: equal
// content is matched first, then what lies between by role and name, so that a row inserted on top
// of a thousand equal rows is one addition.

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tree.hpp"

namespace gantry::observation {

/// Fingerprints of a node: what it and everything below it says, and what it is called. Equal
/// nodes have equal prints; different ones almost always differ, and nothing but the choice of
/// partners depends on it.
struct NodePrint {
  std::uint64_t content = 0;
  std::uint64_t identity = 0;
};
using NodePrints = std::unordered_map<const Node*, NodePrint>;

/// Adds the prints of the node and everything below it.
NodePrint add_prints(const Node& node, NodePrints& prints);

struct ChildMatch {
  /// By old position: the new one, or nothing when the child is gone.
  std::vector<std::optional<std::size_t>> new_position;
  /// By new position: the child has a partner on the old side.
  std::vector<bool> known;
  /// By old position: the child has changed places with others and has to be moved; the other
  /// partners stand in the same order on both sides.
  std::vector<bool> moved;
};

[[nodiscard]] ChildMatch match_children(const std::vector<Node>& before,
                                        const std::vector<Node>& after, const NodePrints& prints);

/// Positions in `values` of a longest ascending subsequence.
[[nodiscard]] std::vector<std::size_t> longest_ascending(const std::vector<std::size_t>& values);

}  // namespace gantry::observation
