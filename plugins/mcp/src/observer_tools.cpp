// SPDX-License-Identifier: Apache-2.0
#include "observer_tools.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "answer_schemas.hpp"

namespace gantry::mcp {
namespace {

struct ToolRow {
  std::string_view name;
  bool destructive = false;  ///< Of tools that change something.
  bool idempotent = false;
  bool takes_long = false;
};

/// Tools that change something are destructive and no repetition of themselves unless they are
/// here; a click may do anything, giving the focus may not.
constexpr std::array<ToolRow, 27> kRows{{
    {"bring_to_foreground", false, true},
    {"clear_text", true, true},
    {"focus_element", false, true},
    {"get_ocr", false, true, true},
    {"hover_at", false, true},
    {"hover_element", false, true},
    {"load_scenario", true, true},
    {"propose_action"},
    {"replay_start"},
    {"replay_status", false, true},
    {"replay_step", true, false, true},
    {"replay_stop", false, true},
    {"scroll"},
    {"select_option", true, true},
    {"set_value", true, true},
    {"snapshot"},
    {"snapshot_diff", false, true},
    {"snapshot_drop", true, true},
    {"snapshot_get", false, true},
    {"trace_start"},
    {"trace_stop"},
    {"type_and_observe", true, false, true},
    {"type_text", true, false, true},
    {"wait_for", false, true, true},
    {"wait_idle", false, true, true},
    {"get_full_screenshot", false, true},
    {"get_screenshot", false, true},
}};

/// Callable, but not shown, as in the published list.
constexpr std::array<std::string_view, 2> kUnlisted{"double_click_at", "right_click_at"};

const ToolRow* row_of(std::string_view name) {
  const auto* const row =
      std::find_if(kRows.begin(), kRows.end(), [name](const ToolRow& r) { return r.name == name; });
  return row == kRows.end() ? nullptr : row;
}

/// "get_window_structure" → "Get window structure".
std::string title_of(std::string_view name) {
  std::string out(name);
  std::replace(out.begin(), out.end(), '_', ' ');
  if (!out.empty() && out.front() >= 'a' && out.front() <= 'z') {
    out.front() = static_cast<char>(out.front() - 32);
  }
  return out;
}

}  // namespace

bool takes_long(std::string_view tool) {
  const ToolRow* row = row_of(tool);
  return row != nullptr && row->takes_long;
}

ToolDescription describe_tool(const ObserverToolDescription& tool) {
  ToolDescription out;
  out.name = tool.name;
  out.title = title_of(tool.name);
  out.description = tool.doc;
  out.input_schema = tool.input_schema;
  out.output_schema = Json(answer_schema(tool.name));
  out.listed = std::find(kUnlisted.begin(), kUnlisted.end(), tool.name) == kUnlisted.end();
  out.read_only = tool.kind == "about" || tool.kind == "read" || tool.kind == "picture";
  const ToolRow* row = row_of(tool.name);
  out.destructive = !out.read_only && (row == nullptr || row->destructive);
  out.idempotent = out.read_only || (row != nullptr && row->idempotent);
  // What an application does when it is acted on reaches as far as the application.
  out.open_world = tool.kind == "act";
  out.long_running = row != nullptr && row->takes_long;
  return out;
}

}  // namespace gantry::mcp
