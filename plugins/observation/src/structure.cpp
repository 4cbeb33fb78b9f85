// SPDX-License-Identifier: Apache-2.0
#include "structure.hpp"

#include <gantry/pattern.hpp>

#include <algorithm>

#include "node_json.hpp"
#include "text.hpp"

namespace gantry::observation {
namespace {

bool contains(const std::vector<std::string>& list, const std::string& item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

Node without_children(const Node& node) {
  Node copy;
  copy.id = node.id;
  copy.role = node.role;
  copy.name = node.name;
  copy.value = node.value;
  copy.bounds = node.bounds;
  copy.enabled = node.enabled;
  copy.focused = node.focused;
  copy.visible = node.visible;
  copy.selected = node.selected;
  copy.expanded = node.expanded;
  copy.value_now = node.value_now;
  copy.value_min = node.value_min;
  copy.value_max = node.value_max;
  copy.identifier = node.identifier;
  copy.keyboard_shortcut = node.keyboard_shortcut;
  copy.description = node.description;
  copy.actions = node.actions;
  copy.states = node.states;
  copy.password = node.password;
  copy.source = node.source;
  copy.confidence = node.confidence;
  copy.ocr_text = node.ocr_text;
  copy.cut_children = node.cut_children;
  return copy;
}

class Filter {
 public:
  explicit Filter(const StructureQuery& query) : query_(query) {
    if (query.name_regex.empty()) return;
    Result<Pattern> pattern = Pattern::compile(query.name_regex);
    if (pattern.ok()) {
      pattern_ = std::move(pattern).value();
    } else {
      warning_ = "name_regex was ignored: " + pattern.error().message;
    }
  }

  [[nodiscard]] bool passes(const Node& node) const {
    if (!query_.roles.empty() && !contains(query_.roles, node.role)) return false;
    if (contains(query_.exclude_roles, node.role)) return false;
    if (pattern_ && !pattern_->search(node.name)) return false;
    return !query_.visible_only || is_visible(node);
  }

  /// The filtered copy, cut below `depth` more levels; nothing when the node goes.
  std::optional<Node> apply(const Node& node, int depth, bool is_root, bool& depth_cut) const {
    Node copy = without_children(node);
    if (depth == 0 && !node.children.empty()) {
      copy.cut_children = node.children.size();
      const bool keep = is_root || passes(node) || any_below(node);
      depth_cut = depth_cut || keep;
      return keep ? std::optional(std::move(copy)) : std::nullopt;
    }
    for (const Node& child : node.children) {
      if (auto kept = apply(child, depth - 1, false, depth_cut)) {
        copy.children.push_back(std::move(*kept));
      }
    }
    const bool structure = !query_.prune_empty && !node.children.empty();
    if (is_root || !copy.children.empty() || structure || passes(node)) return copy;
    return std::nullopt;
  }

  [[nodiscard]] const std::string& warning() const { return warning_; }

 private:
  [[nodiscard]] bool any_below(const Node& node) const {
    return std::any_of(node.children.begin(), node.children.end(),
                       [this](const Node& child) { return passes(child) || any_below(child); });
  }
  [[nodiscard]] bool is_visible(const Node& node) const {
    return node.visible && !node.bounds.empty() &&
           (!query_.screen || intersects(*query_.screen, node.bounds));
  }

  const StructureQuery& query_;
  std::optional<Pattern> pattern_;
  std::string warning_;
};

void shorten_texts(Node& node, std::size_t limit) {
  node.name = shorten(node.name, limit, limit);
  if (node.value) node.value = shorten(*node.value, limit, limit);
  if (node.description) node.description = shorten(*node.description, limit, limit);
  for (Node& child : node.children) shorten_texts(child, limit);
}

/// Moves the tree into a pre-order list of nodes without children.
void flatten(Node&& node, std::vector<Node>& out) {
  std::vector<Node> children = std::move(node.children);
  node.children.clear();
  out.push_back(std::move(node));
  for (Node& child : children) flatten(std::move(child), out);
}

/// Pages carry their nodes flat below one group, because a page rarely holds whole subtrees.
Node page_root(std::vector<Node> nodes) {
  Node root;
  root.id = "page-root";
  root.role = "Group";
  root.name = "[paged]";
  root.children = std::move(nodes);
  return root;
}

/// How many of `left` nodes fit the query's limits; at least one, so that a reader gets on.
std::size_t page_size(const std::vector<Node>& all, std::size_t first,
                      const StructureQuery& query) {
  std::size_t left = all.size() - first;
  if (query.max_nodes > 0) left = std::min(left, static_cast<std::size_t>(query.max_nodes));
  if (query.max_bytes == 0) return left;
  std::size_t bytes = node_json(page_root({})).size();
  for (std::size_t count = 0; count < left; ++count) {
    bytes += node_json(all[first + count]).size() + 1;
    if (bytes > query.max_bytes) return std::max<std::size_t>(count, 1);
  }
  return left;
}

void take_page(StructureView& view, Node tree, const StructureQuery& query) {
  std::vector<Node> all;
  flatten(std::move(tree), all);
  std::size_t first = 0;
  if (!query.page_cursor.empty()) {
    const auto last_seen = std::find_if(
        all.begin(), all.end(), [&](const Node& node) { return node.id == query.page_cursor; });
    if (last_seen == all.end()) {
      view.node_count = 0;
      view.warning = "page_cursor '" + query.page_cursor +
                     "' names no element of this tree with these filters; start again without it";
      return;
    }
    first = static_cast<std::size_t>(last_seen - all.begin()) + 1;
  }
  const std::size_t left = all.size() - first;
  const std::size_t count = page_size(all, first, query);
  view.node_count = count;
  if (count == 0) return;
  view.truncated = count < left;
  const auto begin = all.begin() + static_cast<std::ptrdiff_t>(first);
  std::vector<Node> nodes(std::make_move_iterator(begin),
                          std::make_move_iterator(begin + static_cast<std::ptrdiff_t>(count)));
  if (view.truncated) view.next_cursor = nodes.back().id;
  view.tree = std::make_shared<const Node>(page_root(std::move(nodes)));
}

bool is_higher(const Node& node, int levels) {
  if (node.children.empty()) return false;
  return levels == 0 || std::any_of(node.children.begin(), node.children.end(),
                                    [&](const Node& n) { return is_higher(n, levels - 1); });
}

/// Whether the query leaves a tree as it is, but for its number of nodes and bytes.
bool takes_all(const StructureQuery& query, const Node& root) {
  return query.roles.empty() && query.exclude_roles.empty() && query.name_regex.empty() &&
         !query.visible_only && !query.prune_empty && query.max_text_len == 0 &&
         !is_higher(root, query.depth);
}

}  // namespace

StructureView make_view(const Node& root, const StructureQuery& query) {
  StructureView view;
  if (takes_all(query, root)) {
    view.tree = std::shared_ptr<const Node>(std::shared_ptr<void>(), &root);
  } else {
    const Filter filter(query);
    view.warning = filter.warning();
    std::optional<Node> kept = filter.apply(root, query.depth, true, view.depth_truncated);
    if (query.max_text_len > 0) {
      shorten_texts(*kept, static_cast<std::size_t>(query.max_text_len));
    }
    view.tree = std::make_shared<const Node>(std::move(*kept));
  }
  view.node_count = count_nodes(*view.tree);
  const bool too_many =
      query.max_nodes > 0 && view.node_count > static_cast<std::size_t>(query.max_nodes);
  const bool too_long = query.max_bytes > 0 && node_json(*view.tree).size() > query.max_bytes;
  if (too_many || too_long || !query.page_cursor.empty()) {
    Node whole = *view.tree;
    view.tree.reset();
    take_page(view, std::move(whole), query);
  }
  return view;
}

}  // namespace gantry::observation
