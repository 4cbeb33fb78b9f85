// SPDX-License-Identifier: Apache-2.0
#include "random_tree.hpp"

#include <array>
#include <string_view>

namespace gantry::observation::tests {
namespace {

using namespace std::string_view_literals;

constexpr std::array kNames = {""sv,
                               ""sv,
                               "OK"sv,
                               "OK"sv,
                               "a \"quoted\" name"sv,
                               "it's"sv,
                               "both \" and '"sv,
                               "C:\\"sv,
                               "\\\""sv,
                               "a/b > c"sv,
                               "[index=0]"sv,
                               "x\"]/Button[name=\"y"sv,
                               "two\nlines\ttab"sv,
                               "Gr\xC3\xB6\xC3\x9F"
                               "e \xE6\x97\xA5\xE6\x9C\xAC"sv,
                               "dots\xE2\x80\xA6"sv,
                               "dots..."sv,
                               "a\xE2\x80\x94"
                               "b"sv,
                               " spaced "sv,
                               "\x1b[31mred"sv,
                               "rtl \xE2\x80\xAE evil"sv,
                               ":nth-of-type(2)"sv,
                               ":text(x)"sv,
                               "\\d+"sv,
                               "\xFF bad"sv,
                               "\\'"sv,
                               "a\\nb"sv};
constexpr std::array kRoles = {
    "Window"sv, "Group"sv, "Button"sv,      "Button"sv, "push button"sv, "check-menu"sv, "*"sv,
    ""sv,       "a\"b"sv,  "r\xC3\xB4le"sv, ".dot"sv,   "back\\slash"sv, "9lives"sv};

void clear_ids(Node& node) {
  node.id.clear();
  for (Node& child : node.children) clear_ids(child);
}

void collect(Node& node, std::vector<Node*>& out) {
  out.push_back(&node);
  for (Node& child : node.children) collect(child, out);
}

}  // namespace

Node RandomTree::make_node() {
  Node node;
  node.name = kNames[below(kNames.size())];
  node.role = kRoles[below(kRoles.size())];
  node.bounds = {static_cast<int>(below(50)), static_cast<int>(below(50)), 10, 10};
  node.enabled = below(5) != 0;
  if (below(4) == 0) node.value = kNames[below(kNames.size())];
  if (below(6) == 0) node.selected = below(2) == 0;
  if (below(8) == 0) node.value_now = static_cast<double>(below(100)) / 4;
  if (below(9) == 0) node.description = "d";
  return node;
}

Node RandomTree::make(std::size_t max_nodes) {
  Node root = make_node();
  const std::size_t count = 1 + below(max_nodes);
  for (std::size_t i = 1; i < count; ++i) {
    Node* parent = &root;
    while (!parent->children.empty() && below(3) != 0) {
      parent = &parent->children[below(parent->children.size())];
    }
    parent->children.push_back(make_node());
  }
  assign_ids(root);
  return root;
}

void RandomTree::edit_one(Node& root) {
  std::vector<Node*> all;
  collect(root, all);
  Node& node = *all[below(all.size())];
  std::vector<Node>& children = node.children;
  const auto position = [&](std::size_t i) {
    return children.begin() + static_cast<std::ptrdiff_t>(i);
  };
  switch (below(5)) {
    case 0: node.value = kNames[below(kNames.size())]; break;
    case 1: node.enabled = !node.enabled; break;
    case 2: children.insert(position(below(children.size() + 1)), make_node()); break;
    case 3:
      if (!children.empty()) children.erase(position(below(children.size())));
      break;
    default:
      if (children.size() > 1) {
        const std::size_t from = below(children.size());
        Node moved = std::move(children[from]);
        children.erase(position(from));
        children.insert(position(below(children.size() + 1)), std::move(moved));
      }
  }
}

Node RandomTree::edited(const Node& root, std::size_t edits) {
  Node copy = root;
  for (std::size_t i = 0; i < edits; ++i) edit_one(copy);
  clear_ids(copy);
  assign_ids(copy);
  return copy;
}

}  // namespace gantry::observation::tests
