// SPDX-License-Identifier: Apache-2.0
#include "tree.hpp"

#include <algorithm>
#include <tuple>

namespace gantry::observation {
namespace {

template <typename Visit>
void visit_nodes(const Node& node, int depth, Visit&& visit) {
  visit(node, depth);
  for (const Node& child : node.children) visit_nodes(child, depth + 1, visit);
}

void assign_child_ids(Node& parent) {
  for (std::size_t index = 0; index < parent.children.size(); ++index) {
    Node& child = parent.children[index];
    if (child.id.empty()) child.id = parent.id + '.' + std::to_string(index);
    assign_child_ids(child);
  }
}

template <typename Matches>
const Node* find_first(const Node& node, const Matches& matches) {
  if (matches(node)) return &node;
  for (const Node& child : node.children) {
    if (const Node* found = find_first(child, matches)) return found;
  }
  return nullptr;
}

bool find_path(const Node& node, const Node& target, std::vector<const Node*>& path) {
  path.push_back(&node);
  if (&node == &target) return true;
  for (const Node& child : node.children) {
    if (find_path(child, target, path)) return true;
  }
  path.pop_back();
  return false;
}

}  // namespace

void assign_ids(Node& root) {
  if (root.id.empty()) root.id = "root";
  assign_child_ids(root);
}

std::shared_ptr<const Tree> make_tree(Node root, Tree::Degraded degraded) {
  auto tree = std::make_shared<Tree>();
  tree->root = std::move(root);
  tree->degraded = std::move(degraded);
  assign_ids(tree->root);
  tree->hash = tree_hash(tree->root);
  visit_nodes(tree->root, 0, [&](const Node& node, int depth) {
    ++tree->node_count;
    if (depth > 0 && !node.name.empty()) ++tree->named_count;
  });
  return tree;
}

void walk(const Node& root, const std::function<void(const Node&, int)>& visit) {
  visit_nodes(root, 0, visit);
}

bool same_content(const Node& one, const Node& other) {
  const auto parts = [](const Node& node) {
    return std::tie(node.id, node.role, node.name, node.value, node.bounds, node.enabled,
                    node.focused, node.visible, node.selected, node.expanded, node.value_now,
                    node.value_min, node.value_max, node.identifier, node.keyboard_shortcut,
                    node.description, node.actions, node.states, node.password, node.source,
                    node.native_ref, node.cut_children, node.confidence, node.ocr_text);
  };
  const bool alike_hidden =
      one.hidden == other.hidden ||
      (one.hidden && other.hidden && one.hidden->digest == other.hidden->digest);
  return alike_hidden && parts(one) == parts(other) &&
         std::equal(one.children.begin(), one.children.end(), other.children.begin(),
                    other.children.end(), same_content);
}

std::size_t count_nodes(const Node& root) {
  std::size_t count = 0;
  visit_nodes(root, 0, [&](const Node&, int) { ++count; });
  return count;
}

const Node* find_by_id(const Node& root, std::string_view id) {
  const Node* found = find_first(root, [&](const Node& node) { return node.id == id; });
  if (found != nullptr || id.empty() || id.front() < '0' || id.front() > '9') return found;
  const std::string whole = "root." + std::string(id);
  return find_first(root, [&](const Node& node) { return node.id == whole; });
}

std::vector<const Node*> path_to(const Node& root, const Node& target) {
  std::vector<const Node*> path;
  (void)find_path(root, target, path);
  return path;
}

const Node* find_focused(const Node& root) {
  return find_first(root, [](const Node& node) { return node.focused; });
}

}  // namespace gantry::observation
