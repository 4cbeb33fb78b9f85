// SPDX-License-Identifier: Apache-2.0
#pragma once
// The tools by their published names. A new tool is a function and a row in tools.cpp.

#include <span>
#include <string_view>

#include "engine.hpp"

namespace gantry::observation {

struct Tool {
  std::string_view name;
  Task<ToolOutcome> (*run)(Engine&, const ToolCall&);
  bool input = false;      ///< Acts on the desktop: counts as the last input step.
  bool untrusted = false;  ///< Its answer carries text from the screen.
};

/// Sorted by name.
[[nodiscard]] std::span<const Tool> all_tools();
/// nullptr when there is no such tool.
[[nodiscard]] const Tool* find_tool(std::string_view name);

// tools_windows.cpp
Task<ToolOutcome> list_windows(Engine& engine, const ToolCall& call);
Task<ToolOutcome> get_monitors(Engine& engine, const ToolCall& call);
// tools_tree.cpp
Task<ToolOutcome> get_window_structure(Engine& engine, const ToolCall& call);
Task<ToolOutcome> get_screen_description(Engine& engine, const ToolCall& call);
Task<ToolOutcome> get_screen_sketch(Engine& engine, const ToolCall& call);
// tools_screen.cpp
Task<ToolOutcome> get_screenshot(Engine& engine, const ToolCall& call);
Task<ToolOutcome> get_full_screenshot(Engine& engine, const ToolCall& call);
// tools_input.cpp
Task<ToolOutcome> click_at(Engine& engine, const ToolCall& call);
Task<ToolOutcome> type_text(Engine& engine, const ToolCall& call);
Task<ToolOutcome> press_key(Engine& engine, const ToolCall& call);
Task<ToolOutcome> scroll(Engine& engine, const ToolCall& call);
// tools_about.cpp
Task<ToolOutcome> get_capabilities(Engine& engine, const ToolCall& call);

}  // namespace gantry::observation
