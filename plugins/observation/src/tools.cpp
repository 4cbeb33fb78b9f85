// SPDX-License-Identifier: Apache-2.0
#include "tools.hpp"

#include <algorithm>
#include <array>

namespace gantry::observation {
namespace {

constexpr bool kInput = true;
constexpr bool kUntrusted = true;

constexpr std::array<Tool, 12> kTools{{
    {"click_at", click_at, kInput, false},
    {"get_capabilities", get_capabilities, false, false},
    {"get_full_screenshot", get_full_screenshot, false, false},
    {"get_monitors", get_monitors, false, false},
    {"get_screen_description", get_screen_description, false, kUntrusted},
    {"get_screen_sketch", get_screen_sketch, false, kUntrusted},
    {"get_screenshot", get_screenshot, false, false},
    {"get_window_structure", get_window_structure, false, kUntrusted},
    {"list_windows", list_windows, false, kUntrusted},
    {"press_key", press_key, kInput, false},
    {"scroll", scroll, kInput, false},
    {"type_text", type_text, kInput, false},
}};
static_assert(std::is_sorted(kTools.begin(), kTools.end(),
                             [](const Tool& a, const Tool& b) { return a.name < b.name; }));

}  // namespace

std::span<const Tool> all_tools() { return kTools; }

const Tool* find_tool(std::string_view name) {
  const auto* const found = std::lower_bound(
      kTools.begin(), kTools.end(), name,
      [](const Tool& tool, std::string_view wanted) { return tool.name < wanted; });
  return found != kTools.end() && found->name == name ? found : nullptr;
}

}  // namespace gantry::observation
