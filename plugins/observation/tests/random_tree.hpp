// SPDX-License-Identifier: Apache-2.0
#pragma once
// Trees of any shape for property tests: few roles and names, so that siblings are often alike, and
// names that are hard to write down.

#include <cstdint>
#include <random>

#include "tree.hpp"

namespace gantry::observation::tests {

class RandomTree {
 public:
  explicit RandomTree(std::uint64_t seed) : random_(seed) {}

  /// At most `max_nodes` nodes with positional ids.
  [[nodiscard]] Node make(std::size_t max_nodes);
  /// A copy with `edits` changes: fields altered, elements added, removed, moved among siblings.
  /// Ids are positional again.
  [[nodiscard]] Node edited(const Node& root, std::size_t edits);

  [[nodiscard]] std::size_t below(std::size_t limit) {
    return std::uniform_int_distribution<std::size_t>(0, limit - 1)(random_);
  }

 private:
  [[nodiscard]] Node make_node();
  void edit_one(Node& root);

  std::mt19937_64 random_;
};

}  // namespace gantry::observation::tests
