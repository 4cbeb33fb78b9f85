// SPDX-License-Identifier: Apache-2.0
#include "a11y_map.hpp"

#include <cstddef>

namespace gantry::observation {
namespace {

std::optional<std::string> if_not_empty(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional(text);
}

void map_node(const A11yNode& in, Node& node) {
  node.id = in.id;
  node.role = in.role.empty() ? in.role_name : in.role;
  node.name = in.name;
  node.value = in.value;
  node.bounds = in.bounds.value_or(Rect{});
  node.enabled = in.enabled;
  node.focused = in.focused;
  node.visible = in.showing && in.bounds.has_value();
  node.selected = in.selected;
  node.expanded = in.expanded;
  node.value_now = in.value_now;
  node.value_min = in.value_min;
  node.value_max = in.value_max;
  node.identifier = if_not_empty(in.identifier);
  node.keyboard_shortcut = in.keyboard_shortcut;
  node.description = if_not_empty(in.description);
  node.actions = in.actions;
  node.states = in.states;
  node.password = in.password;
  node.native_ref = in.native;
}

/// Indices of each node's children. Deeper than any interface, the rest is left out: the tree is
/// walked by recursion.
constexpr int kMaxTreeDepth = 256;

class Builder {
 public:
  explicit Builder(const std::vector<A11yNode>& flat) : flat_(flat), children_(flat.size()) {
    for (std::size_t i = 1; i < flat.size(); ++i) {
      const std::int32_t parent = flat[i].parent;
      if (parent >= 0 && static_cast<std::size_t>(parent) < i) {
        children_[static_cast<std::size_t>(parent)].push_back(i);
      }
    }
  }

  /// Into a node that is empty, where it stays.
  void build(std::size_t index, int depth, Node& node) const {
    map_node(flat_[index], node);
    if (depth >= kMaxTreeDepth) return;
    node.children.reserve(children_[index].size());
    for (const std::size_t child : children_[index]) {
      build(child, depth + 1, node.children.emplace_back());
    }
  }

 private:
  const std::vector<A11yNode>& flat_;
  std::vector<std::vector<std::size_t>> children_;
};

}  // namespace

Node map_tree(const A11yTree& tree) {
  Node root;
  if (!tree.nodes.empty()) Builder(tree.nodes).build(0, 0, root);
  return root;
}

}  // namespace gantry::observation
