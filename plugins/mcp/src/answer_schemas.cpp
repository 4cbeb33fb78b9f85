// SPDX-License-Identifier: Apache-2.0
#include "answer_schemas.hpp"

#include <gantry/mcp/json_text.hpp>

#include <algorithm>
#include <array>

namespace gantry::mcp {
namespace {

// Members are written `name:type`, with a blank between them. `name?` may be missing in a success;
// `type~` may be null. Types: bool, int, num, str, obj (any members), any, [type], @shape, {type}
// (an object with any names and values of one type).

struct Shape {
  std::string_view name;
  std::string_view members;
};
constexpr std::array<Shape, 24> kShapes{{
    {"rect", "x:int y:int width:int height:int"},
    {"pair", "x:num y:num"},
    {"window",
     "index?:int window_uid:str title:str process:str pid:int handle:str bounds:@rect focused:bool "
     "minimized?:bool monitor_index?:int scale_factor?:num physical_bounds?:@rect "
     "logical_bounds?:@rect"},
    {"monitor",
     "index:int primary:bool bounds:@rect scale_factor:num logical_bounds:@rect "
     "physical_bounds:@rect name?:str"},
    {"element",
     "id:str role:str name:str value:str~ description:str~ bounds:@rect enabled:bool focused:bool "
     "keyboard_shortcut:str~ children:[obj] expanded?:bool selected?:bool identifier?:str "
     "value_now?:num value_min?:num value_max?:num child_count?:int truncated?:bool"},
    {"drawn",
     "id:str role:str name:str value:str~ legend_key:str tab_index:int~ occluded:bool "
     "bounds_grid?:[int] bounds_screen:@rect state:obj identifier?:str value_now?:num "
     "value_min?:num "
     "value_max?:num keyboard_shortcut?:str"},
    {"perf", "cache:str capture_ms:int node_count:int depth_used:int"},
    {"degraded",
     "reason:str detail?:str cure?:str named_node_count?:int threshold?:int "
     "suggested_fallbacks?:[str]"},
    {"match", "element_id:str role:str name:str bounds:@rect"},
    {"word", "text:str confidence:num bbox:@rect bounds:@rect line:int"},
    {"moment", "tree_hash:str focused_selector:str"},
    {"target", "window_uid:str element_id:str selector:str bounds:@rect"},
    {"dialog", "window_uid:str title:str"},
    {"would", "window_uid:str selector:str path?:str secret?:bool bounds:@rect"},
    {"judged", "kind:str passed:bool args?:obj observed?:any error_code?:str message?:str"},
    {"changes", "format:str changes:[any]"},
    {"count", "used:int limit:int~ remaining:int~"},
    {"elapsed", "elapsed:int limit:int~ remaining:int~"},
    {"rate", "in_window:int limit:int~ remaining:int~"},
    {"stats", "captured_at:num capture_ms:int node_count:int named_node_count:int"},
    {"config", "tree_max_depth:int tree_default_depth:int ascii_grid:obj"},
    {"kept", "windows:int trees:int"},
    {"verdict", "passed:bool results:[@judged]"},
    {"oracles",
     "outcome:str success:@verdict failure:@verdict success_step:int~ failure_step:int~"},
}};

/// Of what any answer may have besides, every schema says this much: the list of tools would be a
/// third longer with all of it, which docs/protocols/mcp.md has once. A schema forbids no member.
constexpr std::string_view kAny = "ok?:bool error?:obj next_call?:obj resource?:str";

constexpr std::string_view kWindow = "window:str window_uid:str";
constexpr std::string_view kPicture =
    "window:str window_uid?:str width:int height:int format:str bounds:@rect scale?:@pair "
    "coordinates?:str";
/// Of acts on an element.
constexpr std::string_view kReceipt =
    "action:str dry_run:bool target:@target before:@moment after:@moment changed:bool "
    "state_changed?:bool new_dialogs:[@dialog] duration_ms:int effect:str route?:str evidence?:str "
    "note?:str scenario_reaction?:bool rematched?:str ambiguous_matches?:int";
/// Of acts at a point or with the keyboard.
constexpr std::string_view kDeed =
    "action:str effect:str route?:str evidence?:str note?:str scenario_reaction?:bool "
    "dry_run?:bool "
    "window_handle?:str duration_ms?:int new_dialogs?:[@dialog]";
/// A tree as an object or as lines, whichever was asked for.
constexpr std::string_view kTree =
    "window:str window_uid:str tree_hash:str tree_token:str~ tree?:@element~ format?:str "
    "lines?:str "
    "line_count?:int total_lines?:int element_count?:int node_count?:int depth_used?:int "
    "depth_truncated?:bool truncated?:bool next_cursor?:str~ scope?:str perf?:@perf "
    "degraded?:@degraded";
constexpr std::string_view kObserved =
    "window:str window_uid:str tree_hash:str tree_token:str base_token:str~ format:str perf:@perf "
    "tree?:@element~ lines?:str line_count?:int total_lines?:int next_cursor?:str~ changes?:[any] "
    "unchanged?:bool changed_only?:bool depth_used?:int depth_truncated?:bool truncated?:bool "
    "degraded?:@degraded";
constexpr std::string_view kAndSeen = "observation:obj";
constexpr std::string_view kReplay = "replay_id:str total:int";

struct Answer {
  std::string_view tool;
  std::string_view members;
  std::string_view more = {};
};
constexpr std::array<Answer, 54> kAnswers{{
    {"assert_state",
     "all_passed:bool results:[@judged] scenario?:str state?:str oracles?:@oracles"},
    {"bring_to_foreground", kWindow,
     "action:str effect:str route?:str evidence?:str note?:str dry_run?:bool clicked_x?:int "
     "clicked_y?:int api_note?:str"},
    {"clear_text", kReceipt},
    {"click_at", kDeed, "x:int y:int button:str double:bool"},
    {"click_element", kReceipt},
    {"click_element_and_observe", kReceipt, kAndSeen},
    {"double_click_at", kDeed},
    {"double_click_element", kReceipt},
    {"drag", kReceipt, "from:[int] to:[int] path:[[int]] modifiers:[str]"},
    {"find_element",
     "window_uid:str element_id:str selector:str element_selector:str bounds:@rect "
     "ambiguous_matches:int total_matches:int all_matches:[@match]"},
    {"focus_element", kReceipt},
    {"get_budget_status",
     "configured:bool actions:@count screenshots:@count vlm_tokens:@count session_seconds:@elapsed "
     "actions_per_minute:@rate"},
    {"get_capabilities",
     "platform:str adapter:str version:str protocol_version:int supports:{bool} config:@config "
     "tree_stats:{@stats}"},
    {"get_element_tree", kTree},
    {"get_full_screenshot", kPicture, "screenshot_scope:str sketch:str~ sketch_error?:str"},
    {"get_monitors", "monitors:[@monitor]"},
    {"get_ocr", kWindow, "words:[@word] route?:str source_bbox?:@rect"},
    {"get_redaction_status",
     "configured:bool enabled:bool active:bool patterns_count:int applied_count:int "
     "blur_screenshots:bool"},
    {"get_screen_description", kWindow,
     "description:str accessibility:str ocr?:str vlm?:str vlm_route?:str vlm_error_code?:str "
     "mode:str effective_mode:str truncated?:bool"},
    {"get_screen_sketch", kWindow,
     "sketch:str grid_width:int grid_height:int ocr_overlay:bool elements?:[@drawn] legend?:{str} "
     "error_code?:str ocr_error?:str hint?:str"},
    {"get_screenshot", kPicture},
    {"get_screenshot_cropped", kPicture, "source_bbox?:@rect"},
    {"get_visible_areas", kWindow, "visible_regions:[@rect]"},
    {"get_window_structure", kTree},
    {"hover_at", kReceipt, "x:int y:int hover_ms:int"},
    {"hover_element", kReceipt, "hover_ms?:int"},
    {"invoke_element", kReceipt},
    {"key_into_element", kReceipt},
    {"list_windows", "count:int windows:[@window] is_mock:bool"},
    {"load_scenario", "scenario:str state:str states:[str] warnings?:[str]"},
    {"observe_window", kObserved},
    {"press_key", kDeed, "value:str"},
    {"press_key_and_observe", kDeed, "value:str observation:obj"},
    {"propose_action", "confirm_token:str expires_at:num would_target:@would"},
    {"replay_start", kReplay,
     "mode:str label:str problems?:[str] missing_secrets?:[str] hint?:str"},
    {"replay_status", kReplay, "position:int finished:bool mode:str divergences:[obj]"},
    {"replay_step", kReplay,
     "position:int finished:bool tool?:str trace_seq?:int hint?:str resumed?:bool divergence?:obj~ "
     "actual_summary?:any"},
    {"replay_stop", "stopped:bool"},
    {"right_click_at", kDeed},
    {"right_click_element", kReceipt},
    {"scroll", kDeed, "clicks:int x?:int y?:int"},
    {"select_option", kReceipt},
    {"set_value", kReceipt},
    {"snapshot", "snapshot_id:str ts:num summary:@kept"},
    {"snapshot_diff", "windows_added:[any] windows_removed:[any] per_window_changes:{@changes}"},
    {"snapshot_drop", "dropped:bool"},
    {"snapshot_get",
     "snapshot_id:str ts:num windows:[@window] tree_hashes:{str} trees:{@element} "
     "truncated?:bool truncated_trees?:[str]"},
    {"trace_start", "trace_id:str dir:str started_at:num"},
    {"trace_status",
     "active_trace_id:str~ dir:str~ step_count:int dropped?:int write_error?:str withheld?:str"},
    {"trace_stop",
     "trace_id:str path:str step_count:int duration_ms:int dropped?:int write_error?:str"},
    {"type_and_observe", kDeed, "value:str observation:obj"},
    {"type_text", kDeed, "value:str"},
    {"wait_for", "matched_index:int~ matched_detail?:obj elapsed_ms:int polls:int warnings?:[any]"},
    {"wait_idle", "tree_hash:str elapsed_ms:int"},
}};

std::string schema_of_members(std::string_view members, ArrayText* required);

/// The inside of "[type]" and "{type}".
std::string_view inside(std::string_view type) { return type.substr(1, type.size() - 2); }

std::string_view json_type(std::string_view type) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kTypes{
      {{"bool", "boolean"},
       {"int", "integer"},
       {"num", "number"},
       {"str", "string"},
       {"obj", "object"}}};
  const auto* const row = std::find_if(kTypes.begin(), kTypes.end(),
                                       [type](const auto& entry) { return entry.first == type; });
  return row == kTypes.end() ? std::string_view() : row->second;
}

std::string type_member(std::string_view name, bool nullable) {
  return nullable ? ArrayText().add(name).add("null").text() : quoted(name);
}

/// Calls `take(name, optional, type)` for each member.
template <class Take>
void each_member(std::string_view members, Take take) {
  while (!members.empty()) {
    const std::size_t blank = members.find(' ');
    const std::string_view member = members.substr(0, blank);
    members = blank == std::string_view::npos ? std::string_view() : members.substr(blank + 1);
    const std::size_t colon = member.find(':');
    const bool optional = member[colon - 1] == '?';
    take(member.substr(0, optional ? colon - 1 : colon), optional, member.substr(colon + 1));
  }
}

/// The type of all members where they have the same and all are required, as the four of a
/// rectangle: said once it is shorter, and says as much.
std::string_view only_type(std::string_view members) {
  std::string_view only;
  bool same = true;
  each_member(members, [&](std::string_view, bool optional, std::string_view type) {
    if (only.empty()) only = type;
    same = same && !optional && type == only;
  });
  return same ? only : std::string_view();
}

std::string schema_of_type(std::string_view type) {
  const bool nullable = type.ends_with('~');
  if (nullable) type.remove_suffix(1);
  ObjectText out;
  if (type == "any") return out.take();
  if (type.starts_with('[')) {
    out.raw("type", type_member("array", nullable)).raw("items", schema_of_type(inside(type)));
  } else if (type.starts_with('{')) {
    out.raw("type", type_member("object", nullable));
    out.raw("additionalProperties", schema_of_type(inside(type)));
  } else if (type.starts_with('@')) {
    const auto* const shape =
        std::find_if(kShapes.begin(), kShapes.end(),
                     [name = type.substr(1)](const Shape& row) { return row.name == name; });
    ArrayText required;
    const std::string properties = schema_of_members(shape->members, &required);
    out.raw("type", type_member("object", nullable));
    if (const std::string_view only = only_type(shape->members); only.empty()) {
      out.raw("properties", properties);
    } else {
      out.raw("additionalProperties", schema_of_type(only));
    }
    out.raw("required", required.text());
  } else {
    out.raw("type", type_member(json_type(type), nullable));
  }
  return out.take();
}

void add_members(ObjectText& properties, std::string_view members, ArrayText* required) {
  each_member(members, [&](std::string_view name, bool optional, std::string_view type) {
    properties.raw(name, schema_of_type(type));
    if (!optional && required != nullptr) required->add(name);
  });
}

std::string schema_of_members(std::string_view members, ArrayText* required) {
  ObjectText properties;
  add_members(properties, members, required);
  return properties.take();
}

}  // namespace

std::string answer_schema(std::string_view tool) {
  const auto* const row =
      std::find_if(kAnswers.begin(), kAnswers.end(),
                   [tool](const Answer& answer) { return answer.tool == tool; });
  ObjectText properties;
  ArrayText required;
  add_members(properties, kAny, nullptr);
  if (row != kAnswers.end()) {
    add_members(properties, row->members, &required);
    add_members(properties, row->more, &required);
  }
  return ObjectText()
      .add("type", "object")
      .raw("properties", properties.text())
      .raw("if", R"({"properties":{"ok":{"const":true}},"required":["ok"]})")
      .raw("then", ObjectText().raw("required", required.text()).text())
      .text();
}

}  // namespace gantry::mcp
