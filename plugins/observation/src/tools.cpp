// SPDX-License-Identifier: Apache-2.0
#include "tools.hpp"

#include <algorithm>
#include <vector>

namespace gantry::observation {
namespace {

std::vector<Tool> sorted_tools() {
  std::vector<Tool> tools;
  for (const std::span<const Tool> group :
       {about_tools(),    observe_tools(),   snapshot_tools(),    assert_tools(),  replay_tools(),
        scenario_tools(), trace_tools(),     description_tools(), element_tools(), find_tools(),
        guard_tools(),    input_tools(),     ocr_tools(),         screen_tools(),  tree_tools(),
        window_tools(),   composite_tools(), pointer_tools(),     visible_tools(), wait_tools()}) {
    tools.insert(tools.end(), group.begin(), group.end());
  }
  std::sort(tools.begin(), tools.end(),
            [](const Tool& a, const Tool& b) { return a.name < b.name; });
  return tools;
}

}  // namespace

std::span<const Tool> all_tools() {
  static const std::vector<Tool> kTools = sorted_tools();
  return kTools;
}

const Tool* find_tool(std::string_view name) {
  const std::span<const Tool> tools = all_tools();
  const auto found = std::lower_bound(
      tools.begin(), tools.end(), name,
      [](const Tool& tool, std::string_view wanted) { return tool.name < wanted; });
  return found != tools.end() && found->name == name ? &*found : nullptr;
}

}  // namespace gantry::observation
