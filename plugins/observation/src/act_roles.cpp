// SPDX-License-Identifier: Apache-2.0
#include "act_roles.hpp"

#include <algorithm>
#include <span>
#include <string_view>

#include "text.hpp"

namespace gantry::observation {
namespace {

constexpr std::string_view kTextRoles[] = {"Edit",     "Password",   "Document",
                                           "Terminal", "SpinButton", "TextField"};
constexpr std::string_view kTickedRoles[] = {"CheckBox",      "ToggleButton", "Switch",
                                             "CheckMenuItem", "RadioButton",  "RadioMenuItem"};
constexpr std::string_view kNumberRoles[] = {"Slider", "SpinButton", "ScrollBar"};

/// Actions that equal a left click, best first.
constexpr std::string_view kPressing[] = {"click",    "press", "jump",  "toggle", "doDefault",
                                          "activate", "open",  "check", "uncheck"};
constexpr std::string_view kChoosing[] = {"click", "select"};

struct ClickRow {
  std::string_view role;
  std::span<const std::string_view> actions;
};
constexpr ClickRow kClicks[] = {
    {"Button", kPressing},        {"CheckBox", kPressing}, {"RadioButton", kPressing},
    {"ToggleButton", kPressing},  {"Switch", kPressing},   {"MenuItem", kPressing},
    {"CheckMenuItem", kPressing}, {"Menu", kPressing},     {"RadioMenuItem", kPressing},
    {"Link", kPressing},          {"ComboBox", kPressing}, {"Tab", kPressing},
    {"ColumnHeader", kPressing},  {"ListItem", kChoosing}, {"TreeItem", kChoosing},
};

bool among(std::span<const std::string_view> roles, std::string_view role) {
  return std::find(roles.begin(), roles.end(), role) != roles.end();
}

const ClickRow* click_row(const Node& node) {
  return std::find_if(std::begin(kClicks), std::end(kClicks),
                      [&](const ClickRow& candidate) { return candidate.role == node.role; });
}

}  // namespace

bool takes_text(const Node& node) { return among(kTextRoles, node.role); }
bool is_editable(const Node& node) {
  return std::find(node.states.begin(), node.states.end(), "editable") != node.states.end();
}
bool has_lines(const Node& node) {
  return node.role == "Document" || node.role == "Terminal" ||
         std::find(node.states.begin(), node.states.end(), "multi-line") != node.states.end();
}
bool is_ticked_by_click(const Node& node) {
  return among(kTickedRoles, node.role) && node.selected.has_value();
}
bool holds_number(const Node& node) {
  return among(kNumberRoles, node.role) && node.value_now.has_value();
}

bool is_control(const Node& node) {
  return click_row(node) != std::end(kClicks) || takes_text(node) ||
         among(kTickedRoles, node.role) || among(kNumberRoles, node.role);
}

std::string click_action(const Node& node) {
  const auto* const row = click_row(node);
  if (row == std::end(kClicks)) return {};
  for (const std::string_view wanted : row->actions) {
    for (const std::string& action : node.actions) {
      if (to_lower(action) == to_lower(wanted)) return action;
    }
  }
  return {};
}

}  // namespace gantry::observation
