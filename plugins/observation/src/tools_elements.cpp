// SPDX-License-Identifier: Apache-2.0
// Tools that act on one element, named by a selector or by the id that a capture gave it.
#include <array>

#include "tools.hpp"
#include "verbs.hpp"

namespace gantry::observation {
namespace {

constexpr Verb kClick{"click_element", perform_click};
constexpr Verb kFocus{"focus_element", perform_focus};
constexpr Verb kInvoke{"invoke_element", perform_invoke};
constexpr Verb kHover{"hover_element", perform_hover};
constexpr Verb kSetValue{"set_value", perform_set_value};
constexpr Verb kSelect{"select_option", perform_select};
constexpr Verb kKey{"key_into_element", perform_key};
constexpr Verb kClear{"clear_text", perform_clear_text};
// The published receipts call these clicks too (observer contract 1.4).
constexpr Verb kRightClick{"click_element", perform_right_click};
constexpr Verb kDoubleClick{"click_element", perform_double_click};

template <const Verb& verb>
Task<ToolOutcome> act_on_element(Engine& engine, const ToolCall& call) {
  return run_verb(engine, call, verb);
}

Task<ToolOutcome> set_value(Engine& engine, const ToolCall& call) {
  if (!call.arguments.has("value")) co_return failure(Fault::BadRequest, "value is required");
  co_return co_await run_verb(engine, call, kSetValue);
}

Task<ToolOutcome> select_option(Engine& engine, const ToolCall& call) {
  if (!call.arguments.has("option_name") && !call.arguments.has("option_index")) {
    co_return failure(Fault::BadRequest, "option_name or option_index is required");
  }
  co_return co_await run_verb(engine, call, kSelect);
}

constexpr Parameter kElementId{"element_id", ParameterType::String,
                               "The element's id in the last capture that was answered."};
constexpr Parameter kSelector{"selector", ParameterType::String,
                              "Such as Window/Button[name=\"OK\"]; the first match in "
                              "document order."};
constexpr Parameter kTreeToken{"tree_token", ParameterType::String,
                               "The capture that element_id is of, when it is not the last."};

/// What every element verb takes, before its own parameters.
template <std::size_t N>
constexpr std::array<Parameter, N + 8> with_element(const std::array<Parameter, N>& own) {
  std::array<Parameter, N + 8> all{kWindowUid, kWindowIndex, kWindowTitle,  kSelector,
                                   kElementId, kTreeToken,   kConfirmToken, kDryRun};
  for (std::size_t i = 0; i < N; ++i) all[8 + i] = own[i];
  return all;
}

constexpr auto kPlain = with_element(std::array<Parameter, 0>{});
constexpr auto kClickParameters = with_element(std::array<Parameter, 2>{
    {{"button", ParameterType::String, "Mouse button; left when not given.", false,
      "left|right|middle"},
     {"count", ParameterType::Integer, "Clicks, from 1 to 3; 1 when not given."}}});
constexpr auto kSetValueParameters = with_element(std::array<Parameter, 2>{
    {{"value", ParameterType::Any, "The text, the number, or true and false for what is ticked."},
     {"clear_first", ParameterType::Boolean,
      "Replace what is there (the default) instead of adding to its end."}}});
constexpr auto kSelectParameters = with_element(std::array<Parameter, 2>{
    {{"option_name", ParameterType::String, "Exact name of the option."},
     {"option_index", ParameterType::Integer, "Position of the option, from 0."}}});
constexpr auto kHoverParameters = with_element(
    std::array<Parameter, 1>{{{"hover_ms", ParameterType::Integer,
                               "How long to stay, at most 10000; 250 when not given."}}});
constexpr auto kKeyParameters = with_element(std::array<Parameter, 1>{
    {{"keys", ParameterType::String, "Key or combination, modifiers first: enter, ctrl+s."}}});

constexpr Tool kElementTools[] = {
    {"clear_text", act_on_element<kClear>, ToolKind::Act, true, "Empties a text field.", kPlain},
    {"click_element", act_on_element<kClick>, ToolKind::Act, true,
     "Clicks an element, through the application's own action where it has one.", kClickParameters},
    {"double_click_element", act_on_element<kDoubleClick>, ToolKind::Act, true,
     "Double-clicks an element.", kPlain, "click_element"},
    {"focus_element", act_on_element<kFocus>, ToolKind::Act, true,
     "Gives an element the keyboard focus.", kPlain},
    {"hover_element", act_on_element<kHover>, ToolKind::Act, true,
     "Moves the pointer over an element and stays there.", kHoverParameters},
    {"invoke_element", act_on_element<kInvoke>, ToolKind::Act, true,
     "Runs an element's own default action; a click where it has none.", kPlain},
    {"key_into_element", act_on_element<kKey>, ToolKind::Act, true,
     "Presses keys after the element has the focus.", kKeyParameters},
    {"right_click_element", act_on_element<kRightClick>, ToolKind::Act, true,
     "Clicks an element with the right button.", kPlain, "click_element"},
    {"select_option", select_option, ToolKind::Act, true,
     "Chooses an option of a list, menu or combo box.", kSelectParameters},
    {"set_value", set_value, ToolKind::Act, true,
     "Sets the text or number of an element and reads it back.", kSetValueParameters},
};

}  // namespace

std::span<const Tool> element_tools() { return kElementTools; }

}  // namespace gantry::observation
