// SPDX-License-Identifier: Apache-2.0
#include "scenario_acts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace gantry::mock {
namespace {

enum class Channel : std::uint8_t { Click, Focus, Hover, Text, Key, Scroll, Drag };

/// A tool, what it is besides, and the kind of input that stands for it: set_value clicks and
/// presses keys on its way, and only the text is the value that was set.
struct ToolRow {
  std::string_view tool;
  std::string_view verb;
  Channel channel;
};
constexpr std::array<ToolRow, 25> kTools{{
    {"click_at", "click_element", Channel::Click},
    {"click_element", "click_element", Channel::Click},
    {"click_element_and_observe", "click_element", Channel::Click},
    {"double_click_at", "click_element", Channel::Click},
    {"double_click_element", "click_element", Channel::Click},
    {"right_click_at", "click_element", Channel::Click},
    {"right_click_element", "click_element", Channel::Click},
    {"invoke_element", "click_element", Channel::Click},
    {"select_option", "click_element", Channel::Click},
    {"focus_element", "focus_element", Channel::Focus},
    {"hover_at", "hover_element", Channel::Hover},
    {"hover_element", "hover_element", Channel::Hover},
    {"type_text", "type_text", Channel::Text},
    {"type", "type_text", Channel::Text},
    {"type_and_observe", "type_text", Channel::Text},
    {"set_value", "type_text", Channel::Text},
    {"clear_text", "type_text", Channel::Text},
    {"clear_text", "press_key", Channel::Key},
    {"press_key", "press_key", Channel::Key},
    {"key", "press_key", Channel::Key},
    {"press_key_and_observe", "press_key", Channel::Key},
    {"key_and_observe", "press_key", Channel::Key},
    {"key_into_element", "press_key", Channel::Key},
    {"scroll", "scroll", Channel::Scroll},
    {"drag", "drag", Channel::Drag},
}};

/// What an input of this kind is called when nothing says which tool it comes from.
constexpr std::string_view generic(Channel channel) {
  switch (channel) {
    case Channel::Click: return "click_element";
    case Channel::Focus: return "focus_element";
    case Channel::Hover: return "hover_element";
    case Channel::Text: return "type_text";
    case Channel::Key: return "press_key";
    case Channel::Scroll: return "scroll";
    case Channel::Drag: return "drag";
  }
  return {};
}

std::vector<std::string_view> names(const std::string& tool, Channel channel) {
  std::vector<std::string_view> out{generic(channel)};
  for (const ToolRow& row : kTools) {
    if (row.tool != tool || row.channel != channel) continue;
    out.push_back(row.tool);
    out.push_back(row.verb);
  }
  // The names that the published program's low-level actions have in scenario files.
  if (channel == Channel::Text) out.emplace_back("type");
  if (channel == Channel::Key) out.emplace_back("key");
  if (channel == Channel::Click) out.emplace_back("click_at");
  return out;
}

std::string element_of(const ScenarioWorld& world, const ActIntent& intent,
                       const std::optional<std::int32_t>& x, const std::optional<std::int32_t>& y) {
  if (world.find_element(intent.element)) return intent.element;
  if (!x || !y) return world.focus();
  const auto hit = world.element_at(*x, *y);
  return hit ? hit->native : std::string();
}

constexpr Channel channel_of(PointerAction action) {
  switch (action) {
    case PointerAction::Move: return Channel::Hover;
    case PointerAction::Scroll: return Channel::Scroll;
    case PointerAction::Drag: return Channel::Drag;
    case PointerAction::Click:
    case PointerAction::Press:
    case PointerAction::Release: return Channel::Click;
  }
  return Channel::Click;
}

Act typed(ScenarioWorld& world, const ActIntent& intent, Channel channel, std::string text) {
  if (world.find_element(intent.element)) world.focus(intent.element);
  return {names(intent.tool, channel), world.focus(), std::move(text)};
}

}  // namespace

Act act_of(ScenarioWorld& world, const PointerRequest& request) {
  Channel channel = channel_of(request.action);
  // Focusing by a click is not meant to press what it focuses.
  if (channel == Channel::Click && request.intent.tool == "focus_element") channel = Channel::Focus;
  Act act{names(request.intent.tool, channel),
          element_of(world, request.intent, request.x, request.y),
          {}};
  if ((channel == Channel::Click || channel == Channel::Focus) && !act.element.empty()) {
    world.focus(act.element);
  }
  if (channel == Channel::Scroll) act.text = fmt::format("{}", request.scroll_y);
  return act;
}

Act act_of(ScenarioWorld& world, const KeyRequest& request) {
  return typed(world, request.intent, Channel::Key, request.keys);
}

Act act_of(ScenarioWorld& world, const TextRequest& request) {
  return typed(world, request.intent, Channel::Text, request.text);
}

std::optional<Act> act_of(ScenarioWorld& world, const A11yActionRequest& request) {
  switch (request.verb) {
    case A11yVerb::GetText:
    case A11yVerb::GetSelection:
    case A11yVerb::ScrollTo: return std::nullopt;
    case A11yVerb::Do:
      world.focus(request.native);
      return Act{names(request.intent.tool, Channel::Click), request.native, {}};
    case A11yVerb::Focus:
      world.focus(request.native);
      // The focus on the way to a click or a value is a step of that, not an act of its own.
      if (!request.intent.tool.empty() && request.intent.tool != "focus_element") return Act{};
      return Act{names(request.intent.tool, Channel::Focus), request.native, {}};
    case A11yVerb::SetText:
    case A11yVerb::InsertText:
    case A11yVerb::SetValue: {
      world.focus(request.native);
      std::string text =
          request.verb == A11yVerb::SetValue ? fmt::format("{}", request.value) : request.text;
      return Act{names(request.intent.tool, Channel::Text), request.native, std::move(text)};
    }
  }
  return std::nullopt;
}

}  // namespace gantry::mock
