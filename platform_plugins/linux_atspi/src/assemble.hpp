// SPDX-License-Identifier: Apache-2.0
// From cached records to the flat tree that leaves the adapter. Pure functions.
#pragma once

#include "app_model.hpp"
#include "geometry.hpp"
#include "tree.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace gantry::atspi {

/// Pre-order of the subtree at `start`, each node once even when the toolkit's links form a cycle.
struct Order {
  std::vector<NodeIndex> nodes;
  std::vector<int> parents;  ///< position of the parent in `nodes`, −1 for the first
  bool cut = false;          ///< `max_nodes` was reached
};
Order collect_order(const AppModel& model, NodeIndex start, std::size_t max_nodes);

/// The public nodes of `order`, boxes moved by `offset`.
std::vector<TreeNode> assemble(const AppModel& model, const Order& order, FrameOffset offset);

/// "n;<Alt>f:n;<Primary><Shift>n" → "Ctrl+Shift+N". ATK packs mnemonic, path and accelerator;
/// Qt and Chromium write "Ctrl+N" plainly. Without an accelerator a one-step access key
/// ("<Alt>f") is used; a menu path or a bare mnemonic is no shortcut and gives "".
std::string shortcut_of(std::string_view key_binding);

/// Observer role of a node: the table, refined by state (a multi-line text is a Document).
std::string_view observer_role(const NodeRecord& node);

}  // namespace gantry::atspi
