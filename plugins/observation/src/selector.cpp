// SPDX-License-Identifier: Apache-2.0
#include "selector.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "text.hpp"

namespace gantry::observation {
namespace {

// ---- predicates

std::string_view text_of(const Node& node, SelectorKey key) {
  switch (key) {
    case SelectorKey::Name: return node.name;
    case SelectorKey::Role: return node.role;
    case SelectorKey::Value: return node.value ? std::string_view(*node.value) : "";
    case SelectorKey::Shortcut:
      return node.keyboard_shortcut ? std::string_view(*node.keyboard_shortcut) : "";
    default: return {};
  }
}

bool text_fits(const SelectorPredicate& predicate, std::string_view text) {
  if (predicate.op == SelectorOperator::Matches) return predicate.pattern->matches_whole(text);
  const bool ascii = std::all_of(text.begin(), text.end(),
                                 [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  std::string normalized;
  if (!ascii) {
    normalized = normalize_text(text);
    text = normalized;
  }
  return predicate.op == SelectorOperator::Equals
             ? text == predicate.normalized
             : text.find(predicate.normalized) != std::string_view::npos;
}

bool fits(const SelectorPredicate& predicate, const Node& node, std::int64_t index) {
  switch (predicate.key) {
    case SelectorKey::Unknown: return false;
    case SelectorKey::Enabled:
    case SelectorKey::Focused: {
      const bool state = predicate.key == SelectorKey::Enabled ? node.enabled : node.focused;
      return predicate.op == SelectorOperator::Equals && state == (predicate.integer != 0);
    }
    case SelectorKey::Index:
      return predicate.op == SelectorOperator::Equals && predicate.integer == index;
    default: return text_fits(predicate, text_of(node, predicate.key));
  }
}

bool fits(const SelectorStep& step, const Node& node, std::int64_t index) {
  return (step.any_role || step.role == node.role) &&
         std::all_of(step.predicates.begin(), step.predicates.end(),
                     [&](const SelectorPredicate& p) { return fits(p, node, index); });
}

// ---- search

/// One walk in document order. Each element is tried against the steps that may match it: those
/// that its parent passed on, and those that are looked for anywhere below an ancestor.
class Search {
 public:
  explicit Search(const std::vector<SelectorStep>& steps) : steps_(steps) {}

  /// Tries the first step on `root` alone.
  void from_root(const Node& root) { visit(root, 0, {0}, {}); }
  /// Tries the first step on everything below `root`.
  void below(const Node& root) { visit_children(root, {}, {0}); }

  [[nodiscard]] std::vector<const Node*> take() { return std::move(found_); }
  [[nodiscard]] bool empty() const { return found_.empty(); }

 private:
  using Steps = std::vector<std::size_t>;  ///< Indices, without repetition, usually one or two.

  static void add(Steps& steps, std::size_t step) {
    if (std::find(steps.begin(), steps.end(), step) == steps.end()) steps.push_back(step);
  }

  void visit(const Node& node, std::int64_t index, const Steps& here, Steps below) {
    Steps children;
    bool found = false;
    const auto try_step = [&](std::size_t step) {
      if (!fits(steps_[step], node, index)) return;
      if (step + 1 == steps_.size()) {
        found = true;
      } else {
        add(steps_[step + 1].descendant ? below : children, step + 1);
      }
    };
    const std::size_t inherited = below.size();
    for (std::size_t i = 0; i < inherited; ++i) try_step(below[i]);
    for (const std::size_t step : here) try_step(step);
    if (found) found_.push_back(&node);
    if (!children.empty() || !below.empty()) visit_children(node, children, below);
  }

  void visit_children(const Node& node, const Steps& here, const Steps& below) {
    std::map<std::string_view, std::int64_t> positions;
    for (const Node& child : node.children) visit(child, positions[child.role]++, here, below);
  }

  const std::vector<SelectorStep>& steps_;
  std::vector<const Node*> found_;
};

template <typename Visit>
void for_each_pattern(const SelectorAst& ast, Visit visit) {
  for (const SelectorStep& step : ast.steps) {
    for (const SelectorPredicate& predicate : step.predicates) {
      if (predicate.pattern) visit(*predicate.pattern);
    }
  }
}

// ---- derived selectors

/// Longer names make unwieldy selectors; the position says it shorter.
constexpr std::size_t kLongestDerivedName = 200;

SelectorPredicate name_predicate(const Node& node) {
  SelectorPredicate predicate;
  predicate.text = node.name;
  return predicate;
}

SelectorPredicate index_predicate(std::int64_t index) {
  SelectorPredicate predicate;
  predicate.key = SelectorKey::Index;
  predicate.literal = SelectorLiteral::Integer;
  predicate.integer = index;
  predicate.text = std::to_string(index);
  return predicate;
}

bool is_usable_name(const std::string& name) {
  return !name.empty() && name.size() <= kLongestDerivedName &&
         encode_utf8(decode_utf8(name)) == name;
}

/// What tells `node` from its siblings. `by_name` false: only by position.
SelectorStep derived_step(const Node* parent, const Node& node, bool by_name) {
  SelectorStep step;
  step.role = node.role;
  const bool named = by_name && is_usable_name(node.name);
  if (named) step.predicates.push_back(name_predicate(node));
  if (parent == nullptr) return step;
  const std::string name = named ? normalize_text(node.name) : std::string();
  std::int64_t same_role = 0;
  std::int64_t alike = 0;
  std::int64_t position = 0;
  for (const Node& sibling : parent->children) {
    if (&sibling == &node) position = same_role;
    if (sibling.role != node.role) continue;
    ++same_role;
    if (!named || normalize_text(sibling.name) == name) ++alike;
  }
  if (alike > 1) step.predicates.push_back(index_predicate(position));
  return step;
}

std::string write_path(const std::vector<const Node*>& path, bool by_name) {
  std::vector<SelectorStep> steps;
  steps.reserve(path.size());
  const Node* parent = nullptr;
  for (const Node* node : path) {
    steps.push_back(derived_step(parent, *node, by_name));
    parent = node;
  }
  return write_selector(steps);
}

}  // namespace

Selector::Selector(SelectorAst ast)
    : ast_(std::move(ast)), canonical_(write_selector(ast_.steps)) {}

Outcome<Selector> Selector::parse(std::string_view text) {
  Outcome<SelectorAst> ast = parse_selector(text);
  if (!ast.ok()) return ast.failure();
  return Selector(std::move(*ast));
}

std::vector<const Node*> Selector::matches(const Node& root) const {
  for_each_pattern(ast_, [](const Pattern& pattern) { pattern.reset_effort(); });
  Search search(ast_.steps);
  if (ast_.below_root) {
    // The root is what // means when nothing below it fits: //Window names the window itself.
    search.below(root);
    if (search.empty()) search.from_root(root);
  } else if (fits(ast_.steps.front(), root, 0)) {
    search.from_root(root);
  } else {
    search.below(root);
  }
  return search.take();
}

bool Selector::asks_for_values() const {
  return std::any_of(ast_.steps.begin(), ast_.steps.end(), [](const SelectorStep& step) {
    return std::any_of(step.predicates.begin(), step.predicates.end(), asks_for_value);
  });
}

std::vector<const Node*> Selector::whatever_value(const Node& root) const {
  SelectorAst ast = ast_;
  for (SelectorStep& step : ast.steps) std::erase_if(step.predicates, asks_for_value);
  return Selector(std::move(ast)).matches(root);
}

bool Selector::gave_up() const {
  bool exhausted = false;
  for_each_pattern(
      ast_, [&](const Pattern& pattern) { exhausted = exhausted || pattern.exhausted() > 0; });
  return exhausted;
}

std::string derive_selector(const Node& root, const Node& target) {
  const std::vector<const Node*> path = path_to(root, target);
  if (path.empty()) return {};
  std::string selector = write_path(path, true);
  if (selector.size() > kMaxSelectorBytes) selector = write_path(path, false);
  return selector;
}

}  // namespace gantry::observation
