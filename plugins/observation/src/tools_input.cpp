// SPDX-License-Identifier: Apache-2.0
// Input by coordinates and by keyboard. `success` means that the display took the event; what the
// application made of it is said by `effect`, with the evidence there is:
//   confirmed   the state that was asked for was read back
//   unverified  delivered, but nothing was read back
//   no_op       nothing was asked for or nothing can happen (dry run, mock, empty text)
//   refused     not delivered
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "focus_walk.hpp"
#include "hands.hpp"
#include "pointing.hpp"
#include "tools.hpp"

namespace gantry::observation {
namespace {

constexpr std::array<std::string_view, 3> kButtons{"left", "right", "middle"};
constexpr std::int64_t kDefaultScroll = 3;
constexpr std::string_view kScenarioRoute = "scenario";  // the made-up desktop reacted
constexpr std::int64_t kMaxScroll = 100;
/// Programs take keys one by one: more keeps them busy for minutes.
constexpr std::size_t kMostText = 100'000;

/// What an act by point or keyboard answers: its own members, and what came of it.
ToolOutcome finished(const Act& act, JsonObject out) {
  const Deed& deed = act.receipt.deed;
  out.add("effect", effect_name(deed.effect));
  if (deed.route == kScenarioRoute) out.add("scenario_reaction", true);
  out.add_if("route", deed.route);
  out.add_if("evidence", deed.evidence);
  out.add_if("note", deed.note);
  return out;
}

/// The answer of an action that was only described.
ToolOutcome dry_run(JsonObject out) {
  out.add("dry_run", true);
  out.add("effect", effect_name(Effect::NoOp));
  return out;
}

/// Delivers an input that was aimed, and answers.
Task<ToolOutcome> deliver(Act& act, Send send, JsonObject out) {
  const auto receipt = co_await carry_through(act, std::move(send));
  if (!receipt.ok()) co_return receipt.failure();
  out.add_if("window_handle", (*receipt)->window);
  co_return finished(act, std::move(out));
}

/// `text` of the tool is `value` in the action route; both are taken.
std::string text_argument(const Arguments& arguments, std::string_view name) {
  return arguments.has(name) ? arguments.text(name) : arguments.text("value");
}

Failure missing_text(std::string_view name) {
  return failure(Fault::BadRequest,
                 fmt::format("{} is required ('value' in an action request)", name));
}

/// The three clicks by coordinates.
Task<ToolOutcome> click_point(Engine& engine, const ToolCall& call, std::string button, int count,
                              JsonObject out) {
  const auto point = point_of(call.arguments);
  if (!point.ok()) co_return point.failure();
  if (!*point) co_return failure(Fault::BadRequest, "x and y are required");
  out.add("x", (*point)->x);
  out.add("y", (*point)->y);

  Outcome<Turn> turn = co_await take_aim(engine, call, *point);
  if (!turn.ok()) co_return turn.failure();
  if (call.arguments.flag("dry_run")) co_return dry_run(std::move(out));
  Act& act = turn->act;
  Send send = [&] {
    PointerRequest request;
    request.action = PointerAction::Click;
    request.x = (*point)->x;
    request.y = (*point)->y;
    request.button = std::move(button);
    request.count = count;
    request.intent = intent_of(call);
    return engine.desktop.pointer(std::move(request));
  };
  ToolOutcome done = co_await deliver(act, std::move(send), std::move(out));
  if (!done.ok()) co_return done;
  done->add("duration_ms", act.receipt.duration_ms);
  done->add("new_dialogs", new_dialogs_json(act.receipt.new_windows));
  co_return done;
}

Task<ToolOutcome> click_at(Engine& engine, const ToolCall& call) {
  std::string button =
      call.arguments.has("button") ? call.arguments.text("button") : std::string(kButtons.front());
  if (std::find(kButtons.begin(), kButtons.end(), button) == kButtons.end()) {
    co_return failure(Fault::BadRequest,
                      fmt::format("button must be left, right or middle, found '{}'", button));
  }
  const bool twice = call.arguments.flag("double");
  JsonObject out;
  out.add("action", "click_at");
  out.add("button", button);
  out.add("double", twice);
  co_return co_await click_point(engine, call, std::move(button), twice ? 2 : 1, std::move(out));
}

Task<ToolOutcome> right_click_at(Engine& engine, const ToolCall& call) {
  JsonObject out;
  out.add("action", "right_click_at");
  return click_point(engine, call, "right", 1, std::move(out));
}

Task<ToolOutcome> double_click_at(Engine& engine, const ToolCall& call) {
  JsonObject out;
  out.add("action", "double_click_at");
  return click_point(engine, call, "left", 2, std::move(out));
}

/// Cuts an input for the element that has the focus.
using CutInput = std::function<Pieces(const Node*)>;

/// Sends something to whatever has the keyboard. The answer repeats it, unless it is a secret
/// there.
Task<ToolOutcome> to_keyboard(Engine& engine, const ToolCall& call, CutInput cut, SendPiece send,
                              JsonObject out) {
  const std::optional<ScreenPoint> focus;
  Outcome<Turn> turn = co_await take_aim(engine, call, focus);
  if (!turn.ok()) co_return turn.failure();
  Act& act = turn->act;
  Pieces pieces = cut(act.element.node);
  const bool secret = call.settlement != nullptr && call.settlement->secret.value_or(false);
  out.add("value", secret ? engine.redaction.rules().replacement : pieces.whole);
  if (call.arguments.flag("dry_run")) co_return dry_run(std::move(out));
  const std::int64_t began = engine.desktop.monotonic_ns();
  act.pulse = engine.pulse.serial();
  act.typed = pieces.must_show;
  const Outcome<Sent> sent = co_await send_pieces(act, std::move(pieces), std::move(send));
  engine.trees.forget_all();
  if (!sent.ok()) co_return sent.failure();
  act.receipt.deed = sent->deed;
  (void)co_await finish_aimed(act, began);
  out.add_if("window_handle", sent->window);
  co_return finished(act, std::move(out));
}

Task<ToolOutcome> type_text(Engine& engine, const ToolCall& call) {
  if (!call.arguments.has("text") && !call.arguments.has("value")) co_return missing_text("text");
  const std::string text = text_argument(call.arguments, "text");
  if (text.size() > kMostText) {
    co_return failure(Fault::BadRequest,
                      fmt::format("the text has {} bytes, and at most {} are typed; set_value "
                                  "writes more at once",
                                  text.size(), kMostText));
  }
  JsonObject out;
  out.add("action", "type");
  if (text.empty()) {
    out.add("value", text);
    out.add("effect", effect_name(Effect::NoOp));
    out.add("note", "the text is empty, so there was nothing to type");
    co_return out;
  }
  CutInput cut = [text](const Node* element) { return pieces_of(text, element); };
  SendPiece send = text_sender(engine, intent_of(call));
  co_return co_await to_keyboard(engine, call, std::move(cut), std::move(send), std::move(out));
}

Task<ToolOutcome> press_key(Engine& engine, const ToolCall& call) {
  const std::string keys = text_argument(call.arguments, "keys");
  if (keys.empty()) co_return missing_text("keys");
  JsonObject out;
  out.add("action", "key");
  CutInput cut = [keys](const Node*) { return chords_of(keys); };
  SendPiece send = key_sender(engine, intent_of(call));
  co_return co_await to_keyboard(engine, call, std::move(cut), std::move(send), std::move(out));
}

/// The wheel turns over a point, or over what has the keyboard when none is named.
Task<ToolOutcome> scroll(Engine& engine, const ToolCall& call) {
  const auto point = point_of(call.arguments);
  if (!point.ok()) co_return point.failure();
  const auto asked = call.arguments.integer("clicks");
  if (!asked.ok()) co_return asked.failure();
  const std::int64_t clicks = asked->value_or(kDefaultScroll);
  if (clicks < -kMaxScroll || clicks > kMaxScroll) {
    co_return failure(Fault::BadRequest, fmt::format("clicks must be from -{0} to {0}, found {1}",
                                                     kMaxScroll, clicks));
  }
  JsonObject out;
  out.add("action", "scroll");
  out.add("clicks", clicks);
  if (*point) {
    out.add("x", (*point)->x);
    out.add("y", (*point)->y);
  }
  Outcome<Turn> turn = co_await take_aim(engine, call, *point);
  if (!turn.ok()) co_return turn.failure();
  if (call.arguments.flag("dry_run")) co_return dry_run(std::move(out));
  if (clicks == 0) {
    out.add("effect", effect_name(Effect::NoOp));
    co_return out;
  }
  Send send = [&] {
    PointerRequest request;
    request.action = PointerAction::Scroll;
    request.scroll_y = static_cast<std::int32_t>(clicks);
    if (*point) request.x = (*point)->x;
    if (*point) request.y = (*point)->y;
    request.intent = intent_of(call);
    return engine.desktop.pointer(std::move(request));
  };
  co_return co_await deliver(turn->act, std::move(send), std::move(out));
}

constexpr Parameter kClickAt[] = {
    kWindowUid,
    kWindowIndex,
    kWindowTitle,
    kPointX,
    kPointY,
    {"button", ParameterType::String, "Mouse button; left when not given.", false,
     "left|right|middle"},
    {"double", ParameterType::Boolean, "Click twice."},
    kDryRun,
    kConfirmToken,
};
constexpr Parameter kOtherClick[] = {
    kWindowUid, kWindowIndex, kWindowTitle, kPointX, kPointY, kDryRun, kConfirmToken,
};
constexpr Parameter kTypeText[] = {
    {"text", ParameterType::String,
     "Any Unicode text, at most 100000 bytes; newline and tab are typed as keys.", true},
    kDryRun,
    kConfirmToken,
};
constexpr Parameter kPressKey[] = {
    {"keys", ParameterType::String, "Key or combination, modifiers first: enter, ctrl+s, alt+f4.",
     true},
    kDryRun,
    kConfirmToken,
};
constexpr Parameter kScroll[] = {
    {"x", ParameterType::Integer,
     "Screen pixels from the left; the pointer stays where it is without x and y."},
    {"y", ParameterType::Integer, "Screen pixels from the top."},
    {"clicks", ParameterType::Integer,
     "Wheel steps from -100 to 100, positive is up; 3 when not given."},
    kDryRun,
    kConfirmToken,
};

constexpr Tool kInputTools[] = {
    {"click_at", click_at, ToolKind::Act, true,
     "Clicks at a point of the screen, in pixels. Take the point from an element's bounds; prefer "
     "click_element.",
     kClickAt},
    {"double_click_at", double_click_at, ToolKind::Act, true,
     "Double-clicks at a point of the screen.", kOtherClick, "click_at"},
    {"press_key", press_key, ToolKind::Act, true,
     "Presses a key or a combination of keys in the focused window.", kPressKey},
    {"right_click_at", right_click_at, ToolKind::Act, true,
     "Clicks with the right button at a point of the screen.", kOtherClick, "click_at"},
    {"scroll", scroll, ToolKind::Act, true, "Turns the mouse wheel at a point of the screen.",
     kScroll},
    {"type_text", type_text, ToolKind::Act, true,
     "Types text into whatever has the keyboard focus.", kTypeText},
};

}  // namespace

std::span<const Tool> input_tools() { return kInputTools; }

}  // namespace gantry::observation
