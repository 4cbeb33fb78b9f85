// SPDX-License-Identifier: Apache-2.0
#pragma once
// The tools. A new one is a function, its parameters and a row in the table of its file; schema,
// check and list follow from the row.

#include <gantry/contracts/tool.hpp>
#include <gantry/task.hpp>

#include <span>
#include <string_view>
#include <vector>

#include "parameters.hpp"
#include "run.hpp"

namespace gantry::desk {

struct Tool {
  std::string_view name;
  std::string_view title;
  std::string_view doc;
  std::span<const Parameter> parameters;
  Task<ToolResult> (*run)(Run&);
  bool read_only = false;
  bool destructive = false;
  bool idempotent = false;
  bool open_world = false;    ///< It may make a program do anything that programs do.
  bool long_running = false;  ///< It may take seconds.
};

/// In the order in which they are shown.
[[nodiscard]] std::vector<Tool> all_tools(const Settings& settings);
[[nodiscard]] ToolDescription description_of(const Tool& tool);

// The tables.
[[nodiscard]] std::span<const Tool> app_tools();
[[nodiscard]] std::span<const Tool> clipboard_tools();
[[nodiscard]] std::span<const Tool> keyboard_tools();
[[nodiscard]] std::span<const Tool> mouse_tools();
[[nodiscard]] std::span<const Tool> screenshot_tools();
[[nodiscard]] std::span<const Tool> wait_tools();
[[nodiscard]] std::span<const Tool> window_tools();

// Parameters that several tools share.
inline constexpr Parameter kExplanation{
    "explanation", Kind::Text,
    "One short sentence for the user: what this call is for. They may be asked to allow it."};
inline constexpr Parameter kWindowTitle{
    "window_title", Kind::Text, "Window by a part of its title; the one in front when not given."};
inline constexpr Parameter kWindowUid{"window_uid", Kind::Text,
                                      "Window by the uid that get_open_windows gave it."};

/// Where the arguments name a window, as the observer takes it.
void add_window(const Arguments& arguments, boost::json::object& out);

}  // namespace gantry::desk
