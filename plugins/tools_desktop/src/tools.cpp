// SPDX-License-Identifier: Apache-2.0
#include "tools.hpp"

#include <gantry/llm/json.hpp>

#include <algorithm>
#include <array>

namespace gantry::desk {
namespace {

bool is_clipboard(const Tool& tool) { return tool.name.ends_with("_clipboard"); }

}  // namespace

std::vector<Tool> all_tools(const Settings& settings) {
  std::vector<Tool> out;
  for (const std::span<const Tool> table :
       {app_tools(), mouse_tools(), keyboard_tools(), screenshot_tools(), window_tools(),
        wait_tools(), clipboard_tools()}) {
    std::copy_if(table.begin(), table.end(), std::back_inserter(out), [&](const Tool& tool) {
      return settings.clipboard.enabled || !is_clipboard(tool);
    });
  }
  return out;
}

ToolDescription description_of(const Tool& tool) {
  ToolDescription out;
  out.name = tool.name;
  out.title = tool.title;
  out.description = tool.doc;
  out.input_schema = Json(input_schema(tool.parameters));
  out.read_only = tool.read_only;
  out.destructive = tool.destructive;
  out.idempotent = tool.idempotent;
  out.open_world = tool.open_world;
  out.long_running = tool.long_running;
  return out;
}

void add_window(const Arguments& arguments, boost::json::object& out) {
  for (const std::string_view name : {"window_uid", "window_title"}) {
    if (arguments.has(name)) out[llm::jsv(name)] = arguments.text(name);
  }
}

}  // namespace gantry::desk
