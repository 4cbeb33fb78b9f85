// SPDX-License-Identifier: Apache-2.0
#pragma once
// Selectors: how clients name elements by what they are (observer contract 2.5).
//
// Two notations are read alike. XPath-like: Window/MenuBar/MenuItem[name="Edit"], with // in front
// to search below the root. CSS-like: Window > MenuBar MenuItem:nth-of-type(2). Beyond the
// published text, roles may be quoted ("push button"[name="OK"]), which is how roles with spaces
// are written.

#include <string>
#include <string_view>
#include <vector>

#include "errors.hpp"
#include "selector_ast.hpp"
#include "tree.hpp"

namespace gantry::observation {

class Selector {
 public:
  /// BadRequest "selector parse error: column N: expected …, found …". The column counts characters
  /// from 1.
  [[nodiscard]] static Outcome<Selector> parse(std::string_view text);

  /// Every match once, in document order. The first step means the root when it fits the root, else
  /// anything below it. `index` counts among the siblings of the same role.
  [[nodiscard]] std::vector<const Node*> matches(const Node& root) const;

  /// Some element has to have a value, or something by a key that is not known.
  [[nodiscard]] bool asks_for_values() const;
  /// What matches() would find if every element had what is asked for so.
  [[nodiscard]] std::vector<const Node*> whatever_value(const Node& root) const;

  /// True when the last matches() gave up on a regular expression that was too expensive, so that
  /// its answer may lack elements.
  [[nodiscard]] bool gave_up() const;

  /// The published one-line form: steps joined by / whatever joined them, predicates with double
  /// quotes. A step that searched descendants reads like a child there, as the protocol has it.
  [[nodiscard]] const std::string& canonical() const { return canonical_; }

  [[nodiscard]] const SelectorAst& ast() const { return ast_; }

 private:
  explicit Selector(SelectorAst ast);

  SelectorAst ast_;
  std::string canonical_;
};

/// The path from the root to `target` by role and name, and by position where those do not tell
/// siblings apart. It always resolves to `target` and nothing else in this tree. Empty when
/// `target` is not in the tree.
[[nodiscard]] std::string derive_selector(const Node& root, const Node& target);

}  // namespace gantry::observation
