// SPDX-License-Identifier: Apache-2.0
#include "options.hpp"

#include <algorithm>
#include <functional>
#include <vector>

#include "hands.hpp"
#include "near_matches.hpp"

namespace gantry::observation {
namespace {

constexpr std::string_view kClose = "escape";
constexpr std::string_view kChoose = "enter";
constexpr std::size_t kMostNamed = 20;  // options in a refusal
constexpr std::size_t kMostSearched = 1000;
constexpr std::size_t kMostNear = 3;
constexpr double kNear = 0.4;           // share of letters that may differ
constexpr std::size_t kMaxSteps = 500;  // of the keyboard through an open list

/// The nodes that stand for the options: the children, or those of the one list between.
const std::vector<Node>& options_of(const Node& element) {
  const bool wrapped = element.children.size() == 1 && !element.children.front().children.empty();
  return wrapped ? element.children.front().children : element.children;
}

/// What the items below are called, or the first thing in them that has a name.
std::vector<std::string> names_of_items(const Node& root) {
  std::vector<std::string> names;
  walk(root, [&](const Node& node, int) {
    if (&node == &root || !node.role.ends_with("Item") || names.size() == kMostSearched) return;
    std::string name;
    walk(node, [&](const Node& inner, int) {
      if (name.empty()) name = inner.name;
    });
    if (!name.empty()) names.push_back(std::move(name));
  });
  return names;
}

/// Those of `there` that `wanted` may mean, the nearest first.
std::vector<std::string> near_options(const std::string& wanted,
                                      const std::vector<std::string>& there) {
  std::vector<std::pair<double, std::string>> near;
  for (const std::string& name : there) {
    const double distance = wanted.empty() ? 1 : name_distance(wanted, name);
    if (distance <= kNear) near.emplace_back(distance, name);
  }
  std::stable_sort(near.begin(), near.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string> out;
  for (auto& [distance, name] : near) {
    if (out.size() < kMostNear) out.push_back(std::move(name));
  }
  return out;
}

/// The parent of the element below `node` that has the keyboard; nullptr when it is elsewhere.
const Node* list_with_focus(const Node& node) {
  for (const Node& child : node.children) {
    if (child.focused) return &node;
    if (const Node* found = list_with_focus(child)) return found;
  }
  return nullptr;
}

std::size_t focused_in(const Node& list) {
  const auto found = std::find_if(list.children.begin(), list.children.end(),
                                  [](const Node& item) { return item.focused; });
  return static_cast<std::size_t>(found - list.children.begin());
}

/// The item's own name, or that of what is in it: toolkits differ.
const Node* texted(const Node& item) {
  if (!item.name.empty()) return &item;
  for (const Node& child : item.children) {
    if (const Node* text = texted(child)) return text;
  }
  return nullptr;
}

std::string text_of(const Node& item) {
  const Node* const text = texted(item);
  return text != nullptr ? text->name : std::string();
}

bool says(const Node& node, const std::string& text) {
  return node.name == text || node.value == text || named_node(node, text, &node) != nullptr;
}

std::optional<std::size_t> position_of(const Node& list, const WantedOption& wanted) {
  if (!wanted.name.empty()) {
    for (std::size_t i = 0; i < list.children.size(); ++i) {
      if (says(list.children[i], wanted.name)) return i;
    }
    return std::nullopt;
  }
  if (!wanted.index || *wanted.index < 0) return std::nullopt;
  const auto index = static_cast<std::size_t>(*wanted.index);
  return index < list.children.size() ? std::optional(index) : std::nullopt;
}

/// Goes to the item with the arrow keys; true once it is seen to have the keyboard.
Task<Outcome<bool>> walk_to(Act& act, std::size_t from, std::size_t to) {
  const std::string_view key = to > from ? "down" : "up";
  const std::size_t steps = to > from ? to - from : from - to;
  for (std::size_t i = 0; i < std::min(steps, kMaxSteps); ++i) {
    std::string keys(key);
    const Outcome<Deed> pressed = co_await send_keys(act, std::move(keys));
    if (!pressed.ok()) co_return pressed.failure();
  }
  const std::function<bool(const Node&)> there = [to](const Node& node) {
    const Node* list = list_with_focus(node);
    return list != nullptr && focused_in(*list) == to;
  };
  co_return co_await look_until(act, there);
}

/// Reads which option the closed element shows; a failure when it is another one.
Task<Outcome<Deed>> read_choice(Act& act, const std::string& name,
                                const std::vector<std::string>& others, Deed deed) {
  const auto shows_other = [&others](const Node& node) {
    return std::any_of(others.begin(), others.end(),
                       [&](const std::string& other) { return says(node, other); });
  };
  const std::function<bool(const Node&)> chosen = [&](const Node& node) {
    return says(node, name) && !shows_other(node);
  };
  const bool shown = !name.empty() && co_await look_until(act, chosen);
  if (shown) {
    deed.effect = Effect::Confirmed;
    deed.evidence = "the closed element shows the option and no other";
    co_return deed;
  }
  if (!name.empty() && !says(act.node(), name) && shows_other(act.node())) {
    co_return failure(Fault::Internal, "the element shows another option than the one asked for",
                      {{"element_id", act.node().id}, {"option_name", name}});
  }
  deed.note = "the element does not tell which option it shows; look again";
  co_return deed;
}

}  // namespace

const Node* named_node(const Node& root, const std::string& name, const Node* except) {
  if (&root != except && root.name == name) return &root;
  for (auto child = root.children.rbegin(); child != root.children.rend(); ++child) {
    if (const Node* found = named_node(*child, name, except)) return found;
  }
  return nullptr;
}

const Node* find_option(const Act& act, const WantedOption& wanted) {
  const Node& element = act.node();
  if (!wanted.name.empty()) {
    if (const Node* inside = named_node(element, wanted.name, &element)) return inside;
    return named_node(act.tree->root, wanted.name, &element);
  }
  const std::vector<Node>& options = options_of(element);
  const bool there = wanted.index && *wanted.index >= 0 &&
                     static_cast<std::size_t>(*wanted.index) < options.size();
  return there ? &options[static_cast<std::size_t>(*wanted.index)] : nullptr;
}

bool lists_options(const Node& element) {
  const std::vector<Node>& options = options_of(element);
  // A closed drop-down may show one item: the chosen one.
  return options.size() > 1 && std::all_of(options.begin(), options.end(), [](const Node& option) {
           return option.role.ends_with("Item") && texted(option) != nullptr;
         });
}

Failure no_option(const Act& act, const WantedOption& wanted) {
  // The made-up desktop answers as published: not found after opening is Internal there.
  const bool mock = act.engine.directory.is_mock();
  Failure none = failure(mock ? Fault::Internal : Fault::ElementNotFound,
                         "option not found after opening selector");
  JsonObject context;
  context.add("element_id", act.node().id);
  context.add("window_uid", act.window.info.uid);
  context.add_if("option_name", wanted.name);
  if (const auto there = names_of_items(act.node()); !there.empty()) {
    JsonArray names;
    for (std::size_t i = 0; i < std::min(there.size(), kMostNamed); ++i) names.add(there[i]);
    context.add("options", names.done());
    if (!mock && lists_options(act.node())) {
      none.message = "option not found; context.options has the options of the element";
    }
    if (const auto near = near_options(wanted.name, there); !near.empty()) {
      JsonArray meant;
      for (const std::string& name : near) {
        JsonObject option;
        option.add("option_name", name);
        meant.add(option);
      }
      context.add("did_you_mean", meant.done());
    }
  }
  none.context = context.text();
  return none;
}

Task<Outcome<bool>> admit_option(Act& act, const Node& option) {
  GateTarget whole = gate_target(act.window.info, act.element.node, act.element.selector);
  GateTarget part = gate_target(act.window.info, &option, {});
  part.part = true;
  act.judged.push_back(part);
  std::vector<GateTarget> targets{std::move(whole), std::move(part)};
  co_return co_await admit_targets(act.engine, act.call, std::move(targets));
}

Task<bool> close_again(Act& act) {
  const Answer<WindowList> all = co_await act.engine.desktop.all_windows();
  bool open = act.node().expanded == true || list_with_focus(act.node()) != nullptr;
  if (all.ok() && !act.around.empty()) {
    for (const WindowInfo& window : windows_added(act.around, (*all)->windows)) {
      open = open || (window.transient && window.pid == act.window.info.pid);
    }
  }
  if (!open || act.engine.directory.is_mock()) co_return false;
  std::string keys(kClose);
  (void)co_await send_keys(act, std::move(keys));
  co_return true;
}

const Node* opened_list(const Act& act, const Tree& before) {
  const Node* list = list_with_focus(act.node());
  if (list == nullptr) return nullptr;
  const std::string& ref = list->children[focused_in(*list)].native_ref;
  bool known = ref.empty();
  walk(before.root, [&](const Node& node, int) { known = known || node.native_ref == ref; });
  return known ? nullptr : list;
}

Task<bool> wait_open(Act& act, std::shared_ptr<const Tree> before) {
  if (act.engine.directory.is_mock()) co_return co_await let_settle(act);
  const std::function<bool(const Node&)> open = [&act, before](const Node& node) {
    return node.expanded == true || opened_list(act, *before) != nullptr;
  };
  co_return co_await look_until(act, open);
}

Task<Outcome<Deed>> choose_by_keyboard(Act& act, WantedOption wanted) {
  const std::shared_ptr<const Tree> open = act.tree;  // holds `list`
  const Node* const list = list_with_focus(act.node());
  const auto target = list != nullptr ? position_of(*list, wanted) : std::nullopt;
  if (!target) {
    (void)co_await close_again(act);
    co_return no_option(act, wanted);
  }
  const Node& item = list->children[*target];
  const Node* const text = texted(item);
  const Outcome<bool> allowed = co_await admit_option(act, text != nullptr ? *text : item);
  if (!allowed.ok()) {
    (void)co_await close_again(act);
    co_return allowed.failure();
  }
  const std::string name = text_of(item);
  std::vector<std::string> others;
  for (const Node& other : list->children) {
    if (std::string its = text_of(other); !its.empty() && its != name) others.push_back(its);
  }
  const Outcome<bool> reached = co_await walk_to(act, focused_in(*list), *target);
  if (!reached.ok()) co_return reached.failure();
  if (!*reached) {
    (void)co_await close_again(act);
    co_return failure(Fault::PatternUnsupported,
                      "the keyboard did not reach the option, so nothing was chosen",
                      {{"element_id", act.node().id}, {"option_name", name}});
  }
  std::string keys(kChoose);
  Outcome<Deed> deed = co_await send_keys(act, std::move(keys));
  if (!deed.ok()) co_return deed.failure();
  Deed done = std::move(*deed);
  co_return co_await read_choice(act, name, others, std::move(done));
}

}  // namespace gantry::observation
