// SPDX-License-Identifier: Apache-2.0
#pragma once
// The one element-tree model that every accessibility adapter is mapped to.
//
// A tree is immutable once captured: it is shared as `std::shared_ptr<const Tree>` between the
// cache, tokens and answers, so no lock is needed to read one.

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "geometry.hpp"

namespace gantry::observation {

/// What was taken out of a node, for those who judge and compare and never for clients.
struct Hidden {
  std::string name;    ///< As the application says it.
  std::string digest;  ///< Of name and value, with a key of this process.
};

/// One element. Optional fields are absent when the platform does not report them, which is not the
/// same as an empty value ("" is a text field without text).
struct Node {
  std::string id;  ///< "root", "root.0.2"; unique inside one capture.
  std::string role;
  std::string name;
  std::optional<std::string> value;
  Rect bounds;
  bool enabled = true;
  bool focused = false;
  bool visible = true;  ///< The adapter says the element is showing; false for closed menus.
  std::optional<bool> selected;
  std::optional<bool> expanded;
  std::optional<double> value_now;
  std::optional<double> value_min;
  std::optional<double> value_max;
  std::optional<std::string> identifier;
  std::optional<std::string> keyboard_shortcut;
  std::optional<std::string> description;
  std::vector<std::string> actions;      ///< Names of native actions, e.g. "click".
  std::vector<std::string> states;       ///< The toolkit's own words, for people.
  bool password = false;                 ///< Then the value was not read.
  std::string source;                    ///< Who reported it: "a11y", "ocr", "vision"; empty: a11y.
  std::optional<double> confidence;      ///< 0 to 1, of what was only seen.
  std::optional<std::string> ocr_text;   ///< Read there, where the tree says something else.
  std::string native_ref;                ///< The adapter's handle; never shown to clients.
  std::shared_ptr<const Hidden> hidden;  ///< Set: redacted.
  /// Only in views of a tree: children were cut away here, and this is how many there are.
  std::optional<std::size_t> cut_children;
  std::vector<Node> children;

  /// What rules are judged on; not for answers.
  [[nodiscard]] const std::string& true_name() const { return hidden ? hidden->name : name; }
};

/// One complete capture of a window.
struct Tree {
  Node root;
  std::string hash;             ///< tree_hash of the complete capture.
  std::size_t node_count = 0;   ///< All nodes, root included.
  std::size_t named_count = 0;  ///< Nodes below the root that have a name.
  /// Why the capture is poorer than it should be; an empty reason: it is not.
  struct Degraded {
    std::string reason, detail, cure;
    bool cut = false;  ///< Elements are missing, and nobody knows which.
  } degraded;
};

/// Gives every node without an id its positional one: "root", then "<parent id>.<child index>".
/// Ids that an adapter set are kept (observer contract 2.2 and 2.12: order and ids may differ).
void assign_ids(Node& root);

/// Takes ownership of a captured root, assigns ids, hashes and counts it.
[[nodiscard]] std::shared_ptr<const Tree> make_tree(Node root, Tree::Degraded degraded = {});

/// Calls `visit(node, depth)` in pre-order, the root with depth 0.
void walk(const Node& root, const std::function<void(const Node&, int)>& visit);

/// Whether two trees are alike in all that can be seen, searched or acted on, ids included.
[[nodiscard]] bool same_content(const Node& one, const Node& other);

[[nodiscard]] std::size_t count_nodes(const Node& root);

/// The node with this id, or nullptr. Positional ids may lack their "root.", as lines print them.
[[nodiscard]] const Node* find_by_id(const Node& root, std::string_view id);

/// From the root to `target`, both included; empty when it is not in the tree.
[[nodiscard]] std::vector<const Node*> path_to(const Node& root, const Node& target);

/// The first focused node in pre-order, or nullptr.
[[nodiscard]] const Node* find_focused(const Node& root);

/// "sha1:" and the SHA-1 of the pre-order walk: role, name, value, "x,y,width,height", "E" or "D"
/// and the child count, each followed by one NUL byte (observer contract 2.1). Of a redacted node a
/// keyed digest stands for name and value, so that a short secret cannot be guessed. Ids, focus,
/// shortcuts, descriptions and selection are not part of it.
[[nodiscard]] std::string tree_hash(const Node& root);

}  // namespace gantry::observation
