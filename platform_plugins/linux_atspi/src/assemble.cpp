// SPDX-License-Identifier: Apache-2.0
#include "assemble.hpp"

#include "fetch.hpp"
#include "roles.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace gantry::atspi {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kModifiers = {{
    {"<Primary>", "Ctrl"},
    {"<Control>", "Ctrl"},
    {"<Ctrl>", "Ctrl"},
    {"<Alt>", "Alt"},
    {"<Shift>", "Shift"},
    {"<Super>", "Super"},
    {"<Meta>", "Meta"},
}};

/// "<Primary><Shift>n" → "Ctrl+Shift+N"; "" when it is not one key with modifiers.
std::string readable_chord(std::string_view chord) {
  std::string out;
  while (chord.starts_with('<')) {
    const auto modifier = std::find_if(kModifiers.begin(), kModifiers.end(), [&](const auto& m) {
      return chord.size() >= m.first.size() &&
             std::equal(m.first.begin(), m.first.end(), chord.begin(), [](char a, char b) {
               return std::tolower(static_cast<unsigned char>(a)) ==
                      std::tolower(static_cast<unsigned char>(b));
             });
    });
    if (modifier == kModifiers.end()) return {};
    out.append(modifier->second).append("+");
    chord.remove_prefix(modifier->first.size());
  }
  if (chord.empty()) return {};
  std::string key(chord);
  if (key.size() == 1) {
    key[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(key[0])));
  }
  return out + key;
}

/// Marks the option that the combo box at `box` shows: its toolkit only tells the box.
void mark_chosen(std::vector<TreeNode>& nodes, std::size_t box, const ObjectRef& chosen) {
  const std::string native = chosen.native();
  const auto from = nodes.begin() + static_cast<std::ptrdiff_t>(box) + 1;
  const auto option =
      std::find_if(from, nodes.end(), [&](const TreeNode& node) { return node.native == native; });
  if (option != nodes.end()) option->selected = true;
}

std::optional<bool> meaningful(StateSet states, std::initializer_list<State> makes_sense,
                               State on) {
  for (const State state : makes_sense) {
    if (states.has(state)) return states.has(on);
  }
  return std::nullopt;
}

std::optional<bool> checked_of(const NodeRecord& node, std::string_view role) {
  const bool kind = role == "CheckBox" || role == "RadioButton" || role == "ToggleButton" ||
                    role == "CheckMenuItem" || role == "RadioMenuItem" || role == "Switch";
  const bool on = node.states.has(State::kChecked) ||
                  (role == "ToggleButton" && node.states.has(State::kPressed));
  if (kind || on || node.states.has(State::kCheckable)) return on;
  return std::nullopt;
}

TreeNode make_node(const NodeRecord& record, FrameOffset offset) {
  TreeNode node;
  const RoleInfo& info = role_info(record.role);
  node.role = observer_role(record);
  node.role_name = record.role_name.empty() ? std::string(info.name) : record.role_name;
  node.name = record.name;
  node.description = record.description;
  node.states = record.states;
  node.showing = record.drawn;
  node.enabled = record.states.enabled();
  node.focused = record.states.has(State::kFocused);
  node.selected =
      meaningful(record.states, {State::kSelectable, State::kSelected}, State::kSelected);
  node.expanded =
      meaningful(record.states, {State::kExpandable, State::kExpanded}, State::kExpanded);
  node.checked = checked_of(record, node.role);
  node.identifier = record.identifier;
  node.native = record.object.native();
  node.children_truncated = record.children_cut;
  node.actions = record.actions;
  for (const ActionInfo& action : record.actions) {
    node.keyboard_shortcut = shortcut_of(action.key_binding);
    if (!node.keyboard_shortcut.empty()) break;
  }
  if (node.showing && record.bounds) {
    node.bounds = record.bounds;
    node.bounds->x += offset.dx;
    node.bounds->y += offset.dy;
  }
  if (record.is_fresh(kFreshText) && reads_text(record)) {
    node.value = record.text;
    node.value_truncated = record.text_cut;
  }
  if (record.is_fresh(kFreshText) && reads_choice(record) && !record.chosen.null()) {
    node.value = record.text;
  }
  if (record.is_fresh(kFreshRange) && record.range) {
    node.value_now = record.range->now;
    node.value_min = record.range->min;
    node.value_max = record.range->max;
  }
  return node;
}

/// A field without a name has that of its label, as a screen reader would say it. Looked up here,
/// so that a label that changes is followed without asking the field again.
void name_by_label(const AppModel& model, const NodeRecord& record, TreeNode& node) {
  if (!node.name.empty() || record.label.null()) return;
  const NodeIndex label = model.find(record.label);
  if (label != kNoNode && model.at(label).alive) node.name = model.at(label).name;
}

}  // namespace

Order collect_order(const AppModel& model, NodeIndex start, std::size_t max_nodes) {
  Order order;
  std::vector<bool> seen(model.capacity(), false);
  struct Step {
    NodeIndex node;
    int parent;
  };
  std::vector<Step> pending{{start, -1}};
  while (!pending.empty()) {
    const Step step = pending.back();
    pending.pop_back();
    const NodeRecord& node = model.at(step.node);
    if (!node.alive || seen[step.node]) continue;
    if (order.nodes.size() >= max_nodes) {
      order.cut = true;
      break;
    }
    seen[step.node] = true;
    const int position = static_cast<int>(order.nodes.size());
    order.nodes.push_back(step.node);
    order.parents.push_back(step.parent);
    for (auto child = node.children.rbegin(); child != node.children.rend(); ++child) {
      if (!seen[*child]) pending.push_back({*child, position});
    }
  }
  return order;
}

std::vector<TreeNode> assemble(const AppModel& model, const Order& order, FrameOffset offset) {
  std::vector<TreeNode> nodes;
  nodes.reserve(order.nodes.size());
  for (std::size_t i = 0; i < order.nodes.size(); ++i) {
    const NodeRecord& record = model.at(order.nodes[i]);
    nodes.push_back(make_node(record, offset));
    name_by_label(model, record, nodes.back());
    nodes.back().parent = order.parents[i];
  }
  for (std::size_t i = 0; i < order.nodes.size(); ++i) {
    const NodeRecord& record = model.at(order.nodes[i]);
    if (nodes[i].value && reads_choice(record)) mark_chosen(nodes, i, record.chosen);
  }
  return nodes;
}

std::string shortcut_of(std::string_view key_binding) {
  std::array<std::string_view, 3> parts{};
  std::size_t count = 0;
  while (count < parts.size()) {
    const auto end = std::min(key_binding.find(';'), key_binding.size());
    parts[count++] = key_binding.substr(0, end);
    if (end == key_binding.size()) break;
    key_binding.remove_prefix(end + 1);
  }
  if (count == 1) {
    const std::string_view only = parts[0];
    if (only.find('+') != std::string_view::npos && only.size() > 1) return std::string(only);
    return only.starts_with('<') ? readable_chord(only) : std::string{};
  }
  if (count == 3 && !parts[2].empty()) return readable_chord(parts[2]);
  const bool one_step = parts[1].starts_with('<') && parts[1].find(':') == std::string_view::npos;
  return one_step ? readable_chord(parts[1]) : std::string{};
}

std::string_view observer_role(const NodeRecord& node) {
  if (role_is(node.role, Role::kText) && node.states.has(State::kMultiLine)) return "Document";
  if (role_is(node.role, Role::kExtended)) return observer_role_of_name(node.role_name);
  return role_info(node.role).observer;
}

}  // namespace gantry::atspi
