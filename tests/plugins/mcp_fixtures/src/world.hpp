// SPDX-License-Identifier: Apache-2.0
// What fixtures change: the lists of tools and prompts. Lives on the plugin's strand.
#pragma once

#include <functional>

namespace gantry::mcp_fixtures {

struct World {
  bool second_tool_list = false;    // the list has one tool more
  bool second_prompt_list = false;  // the list has one prompt more
  std::function<void()> tools_changed;
  std::function<void()> prompts_changed;
};

}  // namespace gantry::mcp_fixtures
