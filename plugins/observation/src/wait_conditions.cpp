// SPDX-License-Identifier: Apache-2.0
#include "wait_conditions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "arguments.hpp"
#include "elements.hpp"
#include "node_json.hpp"
#include "text.hpp"

namespace gantry::observation {

/// One type of condition: what it needs, and how it is tested.
struct WaitConditions::Row {
  std::string_view type;
  Test test;
  /// The members that it takes beside type; it needs one of those that are `needed`.
  std::array<std::string_view, 2> members;
  bool needed;
  std::string_view selector;  ///< Name of the member that holds a selector; empty: none.
  std::string_view pattern;   ///< Name of the member that holds a regular expression.
  bool tree;
  bool focus = false;
  bool tree_only = false;  ///< With a selector or a pattern nothing but the tree decides.
};

std::span<const WaitConditions::Row> WaitConditions::rows() {
  // Observer contract 2.11: any window appears where no title is asked for, and a window that is
  // not named has gone.
  static constexpr Row kRows[] = {
      {"element_appears",
       &WaitConditions::element_appears,
       {"selector"},
       true,
       "selector",
       {},
       true,
       false,
       true},
      {"element_disappears",
       &WaitConditions::element_disappears,
       {"selector", "element_id"},
       true,
       "selector",
       {},
       true,
       false,
       true},
      {"text_visible",
       &WaitConditions::text_visible,
       {"regex"},
       true,
       {},
       "regex",
       true,
       false,
       true},
      {"window_appears",
       &WaitConditions::window_appears,
       {"title_regex"},
       false,
       {},
       "title_regex",
       false},
      {"window_disappears",
       &WaitConditions::window_disappears,
       {"window_uid"},
       false,
       {},
       {},
       false},
      {"tree_changes", &WaitConditions::tree_changes, {"since"}, true, {}, {}, true},
      {"focused_changes", &WaitConditions::focused_changes, {}, false, {}, {}, true, true},
  };
  return kRows;
}

const WaitConditions::Row* WaitConditions::row_of(std::string_view type) {
  const std::span<const Row> all = rows();
  const auto row = std::find_if(all.begin(), all.end(),
                                [&](const Row& candidate) { return candidate.type == type; });
  return row != all.end() ? &*row : nullptr;
}

std::string WaitConditions::words_of(const Row& row) {
  const std::string_view second = row.members[1];
  if (row.members[0].empty()) return fmt::format("{} takes nothing else", row.type);
  return fmt::format("{} {} {}{}{}", row.type, row.needed ? "needs" : "takes", row.members[0],
                     second.empty() ? "" : " or ", second);
}

std::string WaitConditions::misnamed(const std::string& json) {
  const Outcome<Arguments> given = Arguments::parse(json);
  if (!given.ok()) {
    return fmt::format("must be an object with a type, found '{}'", shorten(json, 60, 59));
  }
  const std::string type = given->text("type");
  const Row* row = row_of(type);
  if (row == nullptr) {
    std::string types;
    for (const Row& known : rows())
      types += fmt::format("{}{}", types.empty() ? "" : ", ", known.type);
    return given->has("type") ? fmt::format("has the unknown type '{}'; there are {}",
                                            shorten(type, 60, 59), types)
                              : fmt::format("has no type; there are {}", types);
  }
  bool found = false;
  for (const std::string& name : given->names()) {
    if (name == "type" || name.starts_with('_')) continue;
    if (std::find(row->members.begin(), row->members.end(), name) == row->members.end()) {
      return fmt::format("has the unknown member '{}'; {}", shorten(name, 60, 59), words_of(*row));
    }
    found = true;
  }
  return row->needed && !found ? fmt::format("lacks something: {}", words_of(*row)) : "";
}

std::optional<std::string> WaitConditions::first_misnamed(const std::vector<std::string>& any_of) {
  for (std::size_t i = 0; i < any_of.size(); ++i) {
    const std::string wrong = misnamed(any_of[i]);
    if (!wrong.empty()) return fmt::format("any_of[{}] {}", i, wrong);
  }
  return std::nullopt;
}

WaitConditions::WaitConditions(const std::vector<std::string>& any_of)
    : conditions_(any_of.size()) {
  for (std::size_t i = 0; i < any_of.size(); ++i) read(i, any_of[i]);
}

void WaitConditions::read(std::size_t index, const std::string& json) {
  const auto refuse = [&](const std::string& why) {
    warnings_.push_back(fmt::format("condition {} can never be met: {}", index, why));
  };
  const Outcome<Arguments> given = Arguments::parse(json);
  const Row* row = given.ok() ? row_of(given->text("type")) : nullptr;
  if (row == nullptr) return refuse("it has no type");
  Condition& condition = conditions_[index];
  condition.element_id = given->text("element_id");
  condition.window_uid = given->text("window_uid");
  condition.since = given->text("since");
  const std::string path = row->selector.empty() ? "" : given->text(row->selector);
  if (!path.empty()) {
    Outcome<Selector> selector = Selector::parse(path);
    if (!selector.ok()) {
      if (!unreadable_)
        unreadable_ = fmt::format("any_of[{}]: {}", index, selector.failure().message);
      return;
    }
    condition.selector = std::move(*selector);
  } else if (!row->selector.empty() && condition.element_id.empty()) {
    return refuse("it names no element");
  }
  if (!row->pattern.empty()) {
    Result<Pattern> pattern = Pattern::compile(given->text(row->pattern));
    if (!pattern.ok()) return refuse(pattern.error().message);
    condition.pattern = std::move(pattern).value();
    if (!row->tree && title_wanted_.empty()) title_wanted_ = given->text(row->pattern);
  }
  condition.test = row->test;
  condition.tree_only = row->tree_only && (condition.selector || condition.pattern);
  need_tree_ = need_tree_ || row->tree;
  about_focus_ = about_focus_ || row->focus;
}

std::optional<WaitMatch> WaitConditions::first_met(const Scene& scene, const Trees& trees) {
  std::optional<WaitMatch> match;
  for (std::size_t i = 0; i < conditions_.size() && !match; ++i) {
    Condition& condition = conditions_[i];
    if (condition.test == nullptr || condition.judged_before(scene)) continue;
    if (auto detail = (this->*condition.test)(condition, scene, trees)) {
      match = WaitMatch{i, std::move(*detail)};
    } else if (takes_too_much(condition)) {
      // It would take as much at every look, and everybody waits meanwhile.
      condition.test = nullptr;
      warnings_.push_back(fmt::format(
          "condition {} was given up: its regular expression takes too much effort here", i));
    } else if (condition.tree_only) {
      condition.judged = scene.tree;
    }
  }
  if (!first_focus_ && scene.tree != nullptr) {
    const Node* node = find_focused(scene.tree->root);
    first_focus_ = fmt::format("{} {}", scene.window ? scene.window->uid : "",
                               node != nullptr ? node->native_ref + ' ' + node->id : "");
  }
  return match;
}

void WaitConditions::note_values(const Scene& scene) {
  if (scene.tree == nullptr) return;
  for (Condition& condition : conditions_) {
    const bool settled = condition.sought == Sought::Found || condition.sought == Sought::Secret;
    // One that was given up would take as much here, too.
    if (!condition.selector || condition.test == nullptr || settled) continue;
    if (std::exchange(condition.noted_in, scene.tree) == scene.tree) continue;
    const Sought now = sought_by(*condition.selector, scene.tree->root);
    if (now != Sought::Nowhere) condition.sought = now;
  }
}

std::vector<std::size_t> WaitConditions::readable() const {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < conditions_.size(); ++i) {
    const Condition& condition = conditions_[i];
    if (condition.test != nullptr && is_open(condition.sought)) out.push_back(i);
  }
  return out;
}

bool WaitConditions::takes_too_much(const Condition& condition) {
  return (condition.selector && condition.selector->gave_up()) ||
         (condition.pattern && condition.pattern->exhausted() >= Pattern::kMaxExhausted);
}

RawJson WaitConditions::warnings_json() const {
  JsonArray out;
  for (const std::string& warning : warnings_) out.add(warning);
  return out.done();
}

std::optional<JsonObject> WaitConditions::element_appears(const Condition& condition,
                                                          const Scene& scene, const Trees&) const {
  if (scene.tree == nullptr || !condition.selector) return std::nullopt;
  const auto matches = condition.selector->matches(scene.tree->root);
  if (matches.empty()) return std::nullopt;
  JsonObject detail;
  detail.add("element_id", matches.front()->id);
  detail.add("bounds", rect_json(matches.front()->bounds));
  return detail;
}

std::optional<JsonObject> WaitConditions::element_disappears(const Condition& condition,
                                                             const Scene& scene,
                                                             const Trees& trees) const {
  if (scene.window && scene.tree == nullptr) return std::nullopt;  // nobody knows
  if (scene.tree != nullptr) {
    if (condition.selector && !condition.selector->matches(scene.tree->root).empty()) {
      return std::nullopt;
    }
    // A search that gave up has not shown that there is nothing.
    if (condition.selector && condition.selector->gave_up()) return std::nullopt;
    ElementQuery query;
    query.element_id = condition.selector ? std::string() : condition.element_id;
    if (query.given() && resolve_element(trees, scene.window->uid, *scene.tree, query).ok()) {
      return std::nullopt;
    }
  }
  return JsonObject();
}

std::optional<JsonObject> WaitConditions::text_visible(const Condition& condition,
                                                       const Scene& scene, const Trees&) const {
  if (scene.tree == nullptr) return std::nullopt;
  condition.pattern->reset_effort();
  std::optional<JsonObject> detail;
  walk(scene.tree->root, [&](const Node& node, int) {
    if (detail || !node.visible) return;
    const std::string text = node.name + ' ' + node.value.value_or("");
    if (!condition.pattern->search(text)) return;
    detail.emplace();
    detail->add("element_id", node.id);
  });
  return detail;
}

std::optional<JsonObject> WaitConditions::window_appears(const Condition& condition,
                                                         const Scene& scene, const Trees&) const {
  condition.pattern->reset_effort();
  for (const WindowInfo& window : scene.windows) {
    if (!condition.pattern->search(window.title)) continue;
    JsonObject detail;
    detail.add("window_uid", window.uid);
    detail.add("title", window.title);
    return detail;
  }
  return std::nullopt;
}

std::optional<JsonObject> WaitConditions::window_disappears(const Condition& condition,
                                                            const Scene& scene,
                                                            const Trees&) const {
  const bool there =
      std::any_of(scene.windows.begin(), scene.windows.end(),
                  [&](const WindowInfo& window) { return window.uid == condition.window_uid; });
  if (there) return std::nullopt;
  JsonObject detail;
  detail.add_if("window_uid", condition.window_uid);
  return detail;
}

std::optional<JsonObject> WaitConditions::tree_changes(const Condition& condition,
                                                       const Scene& scene,
                                                       const Trees& trees) const {
  if (scene.tree == nullptr || !scene.window) return std::nullopt;
  const auto before = trees.seen_under(scene.window->uid, condition.since);
  if (before == nullptr || before->hash == scene.tree->hash) return std::nullopt;
  JsonObject detail;
  detail.add("tree_hash", scene.tree->hash);
  return detail;
}

std::optional<JsonObject> WaitConditions::focused_changes(const Condition&, const Scene& scene,
                                                          const Trees&) const {
  if (scene.tree == nullptr || !first_focus_) return std::nullopt;
  const Node* node = find_focused(scene.tree->root);
  const std::string now = fmt::format("{} {}", scene.window ? scene.window->uid : "",
                                      node != nullptr ? node->native_ref + ' ' + node->id : "");
  if (now == *first_focus_) return std::nullopt;
  JsonObject detail;
  if (scene.window) detail.add("window_uid", scene.window->uid);
  if (node != nullptr) detail.add("element_id", node->id);
  return detail;
}

}  // namespace gantry::observation
