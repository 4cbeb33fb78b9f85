// SPDX-License-Identifier: Apache-2.0
#pragma once
// The tools by their published names. A new tool is a function, a row in the table of its file and
// the parameters it takes; everything else (names, schemas, validation, documents) follows from
// the row.

#include <span>
#include <string_view>

#include "engine.hpp"

namespace gantry::observation {

/// Parameter::members of what is itself the arguments of the tool that `action` names.
inline constexpr std::string_view kProposedArguments = "*";

enum class ParameterType { Integer, Number, Boolean, String, Object, Array, Any };

/// One argument of a tool, as its schema shows it.
struct Parameter {
  std::string_view name;
  ParameterType type = ParameterType::String;
  std::string_view doc;  ///< For people and models: unit, range, default.
  bool required = false;
  std::string_view values = {};  ///< Allowed strings with | between; empty: any.
  std::string_view items = {};   ///< Array: JSON Schema of its elements; empty: any.
  /// Of an object, or of each in an array, with | between: the members that mean something, some
  /// with their values ("mode:auto,tree"), and those that say what an element's text should be.
  /// Empty: any, none.
  std::string_view members = {};
  std::string_view expectations = {};
};

/// What the guard has to know about a tool before it looks at the target.
enum class ToolKind {
  About,    ///< Tells about the daemon itself: always allowed.
  Read,     ///< Reads the desktop.
  Picture,  ///< Reads the desktop's pixels: counts as a screenshot.
  Act,      ///< Acts on the desktop: counts as an action and as the last input step.
  Manage,   ///< Changes the daemon's own state: traces, replays, snapshots, scenarios.
};

struct Tool {
  std::string_view name;
  Task<ToolOutcome> (*run)(Engine&, const ToolCall&);
  ToolKind kind = ToolKind::Read;
  bool untrusted = false;  ///< Its answer carries text from the screen.
  std::string_view doc;    ///< One or two sentences for people and models.
  std::span<const Parameter> parameters = {};
  /// The tool whose permission this one needs too: right_click_element needs click_element.
  std::string_view verb = {};

  [[nodiscard]] bool input() const { return kind == ToolKind::Act; }
};

/// What every request to an input or accessibility provider carries: the tool that asked, and the
/// element that it acts on (its native reference; empty when it acts on a point or on the focus).
[[nodiscard]] inline ActIntent intent_of(const ToolCall& call, std::string_view native = {}) {
  return {std::string(call.tool.name), std::string(native)};
}

/// Acts, proposals of acts, and replays, which are told what their recording left out, may carry
/// what is typed.
[[nodiscard]] inline bool carries_typed_text(const Tool& tool) {
  return tool.input() || tool.name == "propose_action" || tool.name == "replay_start";
}

/// Sorted by name.
[[nodiscard]] std::span<const Tool> all_tools();
/// nullptr when there is no such tool.
[[nodiscard]] const Tool* find_tool(std::string_view name);

// The table of each file.
[[nodiscard]] std::span<const Tool> about_tools();
[[nodiscard]] std::span<const Tool> assert_tools();
[[nodiscard]] std::span<const Tool> description_tools();
[[nodiscard]] std::span<const Tool> find_tools();
[[nodiscard]] std::span<const Tool> guard_tools();
[[nodiscard]] std::span<const Tool> element_tools();
[[nodiscard]] std::span<const Tool> input_tools();
[[nodiscard]] std::span<const Tool> ocr_tools();
[[nodiscard]] std::span<const Tool> replay_tools();
[[nodiscard]] std::span<const Tool> scenario_tools();
[[nodiscard]] std::span<const Tool> observe_tools();
[[nodiscard]] std::span<const Tool> screen_tools();
[[nodiscard]] std::span<const Tool> snapshot_tools();
[[nodiscard]] std::span<const Tool> trace_tools();
[[nodiscard]] std::span<const Tool> tree_tools();
[[nodiscard]] std::span<const Tool> composite_tools();
[[nodiscard]] std::span<const Tool> pointer_tools();
[[nodiscard]] std::span<const Tool> visible_tools();
[[nodiscard]] std::span<const Tool> wait_tools();
[[nodiscard]] std::span<const Tool> window_tools();

// Parameters that many tools share; every client is sent their words with each of them.
inline constexpr Parameter kWindowUid{"window_uid", ParameterType::String,
                                      "The window's uid in list_windows."};
inline constexpr Parameter kWindowIndex{"window_index", ParameterType::Integer,
                                        "The window's position in list_windows, which shifts."};
inline constexpr Parameter kWindowTitle{"window_title", ParameterType::String,
                                        "A part of the window's title, in any case."};
inline constexpr Parameter kMaxBytes{
    "max_bytes", ParameterType::Integer,
    "Most bytes of the answer; the rest is cut and marked. Not given: lines keep to "
    "output.max_bytes, JSON is whole."};
inline constexpr Parameter kPointX{
    "x", ParameterType::Integer,
    "Screen pixels from the left, as in bounds; in a scaled picture bounds.x + column * scale.x.",
    true};
inline constexpr Parameter kPointY{
    "y", ParameterType::Integer,
    "Screen pixels from the top, as in bounds; in a scaled picture bounds.y + row * scale.y.",
    true};
inline constexpr Parameter kDryRun{"dry_run", ParameterType::Boolean,
                                   "Check everything, but do not act."};
inline constexpr Parameter kConfirmToken{"confirm_token", ParameterType::String,
                                         "From propose_action, where the guard asks for it."};

}  // namespace gantry::observation
