// SPDX-License-Identifier: Apache-2.0
#include "scenario_world.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace gantry::mock {
namespace {

constexpr int kFirstHandle = 1000;  // as the published program numbers them
constexpr std::string_view kTextMark = "{text}";

/// Roles that a click does something to, and roles that take text.
constexpr std::array<std::string_view, 14> kClickable{
    "Button",   "CheckBox", "RadioButton", "MenuItem", "Link",   "Hyperlink",    "ListItem",
    "TreeItem", "Tab",      "TabItem",     "ComboBox", "Switch", "ToggleButton", "Cell"};
constexpr std::array<std::string_view, 5> kEditable{"Edit", "TextField", "Document", "ComboBox",
                                                    "SpinBox"};

template <std::size_t N>
bool among(const std::array<std::string_view, N>& roles, std::string_view role) {
  return std::find(roles.begin(), roles.end(), role) != roles.end();
}

/// Calls `visit(node, position, parent)` for every element, parents first; `parent` and what
/// `visit` is counted by is the place in that order.
template <class Visit>
void each_element(const NodeSpec& node, const std::string& position, std::int32_t parent,
                  std::int32_t& next, const Visit& visit) {
  const std::int32_t index = next++;
  visit(node, position, parent);
  for (std::size_t i = 0; i < node.children.size(); ++i) {
    each_element(node.children[i], fmt::format("{}.{}", position, i), index, next, visit);
  }
}

template <class Visit>
void each_element(const WindowSpec& window, const Visit& visit) {
  std::int32_t next = 0;
  each_element(window.tree, "root", -1, next, visit);
}

std::vector<std::string> states_of(const NodeSpec& node) {
  std::vector<std::string> out{"showing", "visible"};
  if (node.enabled) out.insert(out.end(), {"enabled", "sensitive"});
  if (among(kEditable, node.role)) out.insert(out.end(), {"editable", "focusable"});
  if (among(kClickable, node.role)) out.emplace_back("focusable");
  return out;
}

A11yNode to_node(const NodeSpec& spec, std::int32_t parent) {
  A11yNode node;
  node.parent = parent;
  node.role = spec.role;
  node.role_name = spec.role;
  node.name = spec.name;
  node.description = spec.description;
  node.bounds = spec.bounds;
  node.enabled = spec.enabled;
  node.selected = spec.selected;
  node.expanded = spec.expanded;
  if (!spec.keyboard_shortcut.empty()) node.keyboard_shortcut = spec.keyboard_shortcut;
  node.password = spec.secret;
  node.states = states_of(spec);
  if (among(kClickable, spec.role)) node.actions.emplace_back("click");
  return node;
}

}  // namespace

std::string native_of(const WindowSpec& window, const NodeSpec& node, std::string_view position) {
  if (!node.id.empty()) return fmt::format("mock:{}#{}", window.uid, node.id);
  return fmt::format("mock:{}/{}:{}:{}", window.uid, position, node.role, node.name);
}

ScenarioWorld::ScenarioWorld(Scenario scenario, std::size_t max_value_bytes)
    : scenario_(std::move(scenario)),
      max_value_bytes_(max_value_bytes),
      state_(scenario_.initial) {}

std::vector<const WindowSpec*> ScenarioWorld::top_down() const {
  std::vector<const WindowSpec*> out;
  for (const WindowSpec& window : state().windows) out.push_back(&window);
  std::stable_partition(out.begin(), out.end(),
                        [&](const WindowSpec* window) { return window->uid == front_; });
  return out;
}

std::string ScenarioWorld::handle_of(const WindowSpec& window) const {
  return fmt::format("{}", kFirstHandle + (&window - state().windows.data()));
}

WindowList ScenarioWorld::windows() const {
  WindowList out;
  out.adapter = "MockAdapter";
  out.platform = "Linux";
  out.is_mock = true;
  out.serial = serial_;
  for (const WindowSpec* spec : top_down()) {
    WindowInfo window;
    window.handle = handle_of(*spec);
    window.uid = spec->uid;
    window.title = spec->title;
    window.process = spec->process;
    window.app_id = spec->process;
    window.pid = spec->pid;
    window.bounds = spec->bounds;
    window.frame = spec->bounds;
    window.focused = out.windows.empty();
    window.stacking = static_cast<std::int32_t>(state().windows.size() - 1 - out.windows.size());
    out.windows.push_back(std::move(window));
  }
  std::reverse(out.windows.begin(), out.windows.end());
  return out;
}

const WindowSpec* ScenarioWorld::find_window(std::string_view handle) const {
  for (const WindowSpec& window : state().windows) {
    if (handle_of(window) == handle) return &window;
  }
  return nullptr;
}

A11yTree ScenarioWorld::tree(const WindowSpec& window) const {
  A11yTree out;
  each_element(window, [&](const NodeSpec& spec, const std::string& position, std::int32_t parent) {
    A11yNode node = to_node(spec, parent);
    node.native = native_of(window, spec, position);
    node.value = value_of({&window, &spec, node.native});
    // An empty password field hides nothing, and shows as one that can be filled.
    if (spec.secret && node.value && !node.value->empty()) node.value.reset();
    node.focused = scenario_.show_focus && is_focused(window, node.native);
    out.nodes.push_back(std::move(node));
  });
  out.application = window.process;
  out.toolkit = "scenario";
  out.matched_by = fmt::format("state '{}' of scenario '{}'", state().name, scenario_.name);
  out.pid = window.pid;
  out.sequence = serial_;
  out.warm = true;
  return out;
}

std::optional<Element> ScenarioWorld::find_element(std::string_view native) const {
  std::optional<Element> found;
  for (const WindowSpec& window : state().windows) {
    each_element(window, [&](const NodeSpec& spec, const std::string& position, std::int32_t) {
      if (!found && native_of(window, spec, position) == native) {
        found = Element{&window, &spec, std::string(native)};
      }
    });
  }
  return found;
}

std::optional<Element> ScenarioWorld::element_at(std::int32_t x, std::int32_t y) const {
  for (const WindowSpec* window : top_down()) {
    if (!window->bounds.contains(x, y)) continue;
    std::optional<Element> found;
    // Later ones are drawn over earlier ones, children over their parents.
    each_element(*window, [&](const NodeSpec& spec, const std::string& position, std::int32_t) {
      if (spec.bounds.contains(x, y)) {
        found = Element{window, &spec, native_of(*window, spec, position)};
      }
    });
    if (found && !found->node->enabled) return std::nullopt;
    return found;
  }
  return std::nullopt;
}

bool ScenarioWorld::is_focused(const WindowSpec& window, std::string_view native) const {
  return native == focus_ && top_down().front()->uid == window.uid;
}

std::optional<std::string> ScenarioWorld::value_of(const Element& element) const {
  const auto set = values_.find({element.window->uid, element.node->id});
  if (!element.node->id.empty() && set != values_.end()) return set->second;
  return element.node->value;
}

void ScenarioWorld::focus(std::string_view native) {
  if (focus_ == native) return;
  focus_ = native;
  if (scenario_.show_focus) ++serial_;
}

void ScenarioWorld::raise(const WindowSpec& window) {
  if (top_down().front()->uid == window.uid) return;
  front_ = window.uid;
  ++serial_;
}

std::optional<Element> ScenarioWorld::by_spec_id(std::string_view id) const {
  std::optional<Element> found;
  for (const WindowSpec& window : state().windows) {
    each_element(window, [&](const NodeSpec& spec, const std::string& position, std::int32_t) {
      if (!found && spec.id == id) {
        found = Element{&window, &spec, native_of(window, spec, position)};
      }
    });
  }
  return found;
}

std::string ScenarioWorld::held_by(std::string_view id) const {
  if (const auto element = by_spec_id(id)) return value_of(*element).value_or("");
  // Not in this state, but it may have been filled in an earlier one.
  for (const auto& [key, value] : values_) {
    if (key.second == id) return value;
  }
  return {};
}

bool ScenarioWorld::fits(const Reaction& reaction, const Act& act,
                         std::optional<std::string>& text) const {
  const Trigger& on = reaction.on;
  if (!on.tool.empty() &&
      std::find(act.tools.begin(), act.tools.end(), on.tool) == act.tools.end()) {
    return false;
  }
  if (!on.target_id.empty() || !on.target_name.empty()) {
    const auto target = find_element(act.element);
    if (!target) return false;
    if (!on.target_id.empty() && target->node->id != on.target_id) return false;
    if (!on.target_name.empty() && target->node->name != on.target_name) return false;
  }
  if (on.text_regex) {
    if (!act.text) return false;
    text = on.text_regex->match(*act.text);
    if (!text) return false;
  }
  return std::all_of(reaction.when.begin(), reaction.when.end(), [&](const Condition& condition) {
    const std::string held = held_by(condition.id);
    if (condition.value && held != *condition.value) return false;
    return !condition.value_not_empty || *condition.value_not_empty != held.empty();
  });
}

std::optional<std::string> ScenarioWorld::filled(const Assignment& assignment,
                                                 const std::optional<std::string>& text) const {
  std::string value;
  for (std::size_t from = 0;;) {
    const std::size_t mark = text ? assignment.value.find(kTextMark, from) : std::string::npos;
    value.append(assignment.value, from, mark - from);
    if (mark != std::string::npos) value += *text;
    if (value.size() > max_value_bytes_) return std::nullopt;
    if (mark == std::string::npos) return value;
    from = mark + kTextMark.size();
  }
}

void ScenarioWorld::set(const Assignment& assignment, std::string value) {
  const auto element = by_spec_id(assignment.id);
  const std::string uid = element                   ? element->window->uid
                          : state().windows.empty() ? std::string()
                                                    : state().windows.front().uid;
  values_[{uid, assignment.id}] = std::move(value);
}

std::string ScenarioWorld::set_all(const Reaction& reaction,
                                   const std::optional<std::string>& text) {
  std::vector<std::string> values;
  for (const Assignment& assignment : reaction.set) {
    auto value = filled(assignment, text);
    if (!value) {
      return fmt::format(
          "the reaction of line {} would set '{}' to more than the {} bytes of max_value_bytes",
          reaction.line, assignment.id, max_value_bytes_);
    }
    values.push_back(std::move(*value));
  }
  for (std::size_t i = 0; i < values.size(); ++i) set(reaction.set[i], std::move(values[i]));
  return {};
}

Outcome ScenarioWorld::act(const Act& act) {
  ++acts_;
  for (const Reaction& reaction : scenario_.reactions) {
    std::optional<std::string> text;
    if (!fits(reaction, act, text)) continue;
    if (std::string why = set_all(reaction, text); !why.empty()) {
      return {&reaction, false, std::move(why)};
    }
    ++reactions_;
    ++serial_;
    const StateSpec* next = scenario_.find_state(reaction.transition_to);
    if (next == nullptr) return {&reaction, false, {}};
    state_ = static_cast<std::size_t>(next - scenario_.states.data());
    front_.clear();
    return {&reaction, true, {}};
  }
  return {};
}

ScenarioReport ScenarioWorld::report() const {
  ScenarioReport out;
  out.loaded = true;
  out.scenario = scenario_.name;
  out.path = scenario_.path;
  out.state = state().name;
  for (const StateSpec& one : scenario_.states) out.states.push_back(one.name);
  out.acts = acts_;
  out.reactions = reactions_;
  out.oracles = Json(scenario_.oracles);
  out.warnings = scenario_.warnings;
  return out;
}

}  // namespace gantry::mock
