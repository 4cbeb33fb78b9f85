// SPDX-License-Identifier: Apache-2.0
#include "states.hpp"

#include <array>

namespace gantry::atspi {
namespace {

constexpr std::array<std::string_view, 44> kNames = {
    "invalid",         "active",
    "armed",           "busy",
    "checked",         "collapsed",
    "defunct",         "editable",
    "enabled",         "expandable",
    "expanded",        "focusable",
    "focused",         "has-tooltip",
    "horizontal",      "iconified",
    "modal",           "multi-line",
    "multiselectable", "opaque",
    "pressed",         "resizable",
    "selectable",      "selected",
    "sensitive",       "showing",
    "single-line",     "stale",
    "transient",       "vertical",
    "visible",         "manages-descendants",
    "indeterminate",   "required",
    "truncated",       "animated",
    "invalid-entry",   "supports-autocompletion",
    "selectable-text", "is-default",
    "visited",         "checkable",
    "has-popup",       "read-only",
};

}  // namespace

std::vector<std::string_view> state_names(StateSet states) {
  std::vector<std::string_view> names;
  for (unsigned bit = 0; bit < kNames.size(); ++bit) {
    if ((states.bits() >> bit & 1U) != 0) names.push_back(kNames[bit]);
  }
  return names;
}

int state_bit(std::string_view name) {
  for (unsigned bit = 0; bit < kNames.size(); ++bit) {
    const std::string_view known = kNames[bit];
    if (known.size() != name.size()) continue;
    bool same = true;
    for (std::size_t i = 0; i < name.size() && same; ++i) {
      // Qt and older bridges spell some names with '_' where ATK uses '-'.
      same = known[i] == name[i] || (known[i] == '-' && name[i] == '_');
    }
    if (same) return static_cast<int>(bit);
  }
  return -1;
}

}  // namespace gantry::atspi
