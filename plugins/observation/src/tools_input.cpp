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
#include <limits>
#include <set>

#include "tools.hpp"

namespace gantry::observation {
namespace {

constexpr std::array<std::string_view, 3> kButtons{"left", "right", "middle"};
constexpr std::int64_t kDefaultScroll = 3;
constexpr std::string_view kScenarioRoute = "scenario";  // the made-up desktop reacted
constexpr std::int64_t kMaxScroll = 100;

struct Point {
  std::int32_t x = 0;
  std::int32_t y = 0;
};

/// x and y as the call gives them: both, or neither.
Outcome<std::optional<Point>> point_of(const Arguments& arguments) {
  const auto x = arguments.integer("x");
  if (!x.ok()) return x.failure();
  const auto y = arguments.integer("y");
  if (!y.ok()) return y.failure();
  if (!*x && !*y) return std::optional<Point>();
  if (!*x || !*y) {
    return failure(Fault::BadRequest,
                   fmt::format("x and y belong together, but {} is missing", *x ? "y" : "x"));
  }
  const auto fits = [](std::int64_t value) {
    return value >= std::numeric_limits<std::int32_t>::min() &&
           value <= std::numeric_limits<std::int32_t>::max();
  };
  if (!fits(**x) || !fits(**y)) {
    return failure(Fault::BadRequest, fmt::format("the point ({}, {}) is on no screen", **x, **y));
  }
  return std::optional<Point>(
      Point{static_cast<std::int32_t>(**x), static_cast<std::int32_t>(**y)});
}

/// A click may name the window it is meant for; then it only goes there.
Task<Outcome<bool>> check_target(Engine& engine, const ToolCall& call, Point point) {
  const Outcome<WindowSelector> selector = window_selector(call.arguments);
  if (!selector.ok()) co_return selector.failure();
  if (!selector->given()) co_return true;
  const MissingWindow missing =
      engine.settings.index_fallback_for_acts ? MissingWindow::UseFocused : MissingWindow::Refuse;
  const Outcome<ChosenWindow> window = co_await engine.directory.choose(call.arguments, missing);
  if (!window.ok()) co_return window.failure();
  const WindowInfo& info = window->info;
  if (info.minimized || !info.mapped) {
    co_return failure(
        Fault::WindowOccluded,
        fmt::format("window '{}' is minimised and has no pixels to click; bring it to "
                    "the foreground first",
                    info.title),
        {{"window_uid", info.uid}});
  }
  const Rect& reach = info.frame.empty() ? info.bounds : info.frame;
  if (!reach.contains(point.x, point.y)) {
    co_return failure(
        Fault::BadRequest,
        fmt::format("({}, {}) lies outside window '{}', which covers x {}..{} and y {}..{}",
                    point.x, point.y, info.title, reach.x, reach.x + reach.width - 1, reach.y,
                    reach.y + reach.height - 1),
        {{"window_uid", info.uid}});
  }
  co_return true;
}

/// Ends an input tool: what was delivered becomes the answer, what was not becomes a failure. The
/// trees that were read before no longer hold.
ToolOutcome finish(Engine& engine, const Answer<InputReceipt>& answer, JsonObject out) {
  engine.trees.forget_all();
  if (!answer.ok()) return failure_from(answer.error());
  const InputReceipt& receipt = **answer;
  if (!receipt.delivered) {
    return failure(
        Fault::Internal,
        "the input was not delivered to the display: " +
            (receipt.note.empty() ? receipt.evidence : receipt.note),
        {{"effect", "refused"}, {"route", receipt.route}, {"evidence", receipt.evidence}});
  }
  const bool reacted = receipt.route == kScenarioRoute;
  out.add("effect", engine.directory.is_mock() && !reacted ? "no_op" : "unverified");
  if (reacted) out.add("scenario_reaction", true);
  out.add("route", receipt.route);
  out.add_if("evidence", receipt.evidence);
  out.add_if("note", receipt.note);
  out.add_if("window_handle", receipt.window);
  return out;
}

/// The answer of an action that was only described.
ToolOutcome dry_run(JsonObject out) {
  out.add("dry_run", true);
  out.add("effect", "no_op");
  return out;
}

/// Windows that were not there before the action.
Task<RawJson> new_dialogs(Engine& engine, const Outcome<WindowsNow>& before) {
  JsonArray dialogs;
  const Outcome<WindowsNow> after = co_await engine.directory.list();
  if (before.ok() && after.ok()) {
    std::set<std::string> known;
    for (const WindowInfo& window : before->windows) known.insert(window.uid);
    for (const WindowInfo& window : after->windows) {
      if (known.contains(window.uid)) continue;
      JsonObject dialog;
      dialog.add("window_uid", window.uid);
      dialog.add("title", window.title);
      dialogs.add(dialog);
    }
  }
  co_return dialogs.done();
}

/// `text` of the tool is `value` in the action route; both are taken.
std::string text_argument(const Arguments& arguments, std::string_view name) {
  return arguments.has(name) ? arguments.text(name) : arguments.text("value");
}

Failure missing_text(std::string_view name) {
  return failure(Fault::BadRequest,
                 fmt::format("{} is required ('value' in an action request)", name));
}

Task<ToolOutcome> click_at(Engine& engine, const ToolCall& call) {
  const auto point = point_of(call.arguments);
  if (!point.ok()) co_return point.failure();
  if (!*point) co_return failure(Fault::BadRequest, "x and y are required");
  const std::string button =
      call.arguments.has("button") ? call.arguments.text("button") : std::string(kButtons.front());
  if (std::find(kButtons.begin(), kButtons.end(), button) == kButtons.end()) {
    co_return failure(Fault::BadRequest,
                      fmt::format("button must be left, right or middle, found '{}'", button));
  }
  const bool twice = call.arguments.flag("double");
  JsonObject out;
  out.add("action", "click_at");
  out.add("x", (*point)->x);
  out.add("y", (*point)->y);
  out.add("button", button);
  out.add("double", twice);

  const Outcome<bool> target = co_await check_target(engine, call, **point);
  if (!target.ok()) co_return target.failure();
  if (call.arguments.flag("dry_run")) co_return dry_run(std::move(out));

  const Outcome<WindowsNow> before = co_await engine.directory.list();
  const std::int64_t began = engine.desktop.monotonic_ns();
  PointerRequest request;
  request.action = PointerAction::Click;
  request.x = (*point)->x;
  request.y = (*point)->y;
  request.button = button;
  request.count = twice ? 2 : 1;
  request.intent = intent_of(call);
  const Answer<InputReceipt> receipt = co_await engine.desktop.pointer(std::move(request));
  out.add("duration_ms", (engine.desktop.monotonic_ns() - began) / 1'000'000);
  RawJson dialogs = co_await new_dialogs(engine, before);
  out.add("new_dialogs", std::move(dialogs));
  co_return finish(engine, receipt, std::move(out));
}

Task<ToolOutcome> type_text(Engine& engine, const ToolCall& call) {
  if (!call.arguments.has("text") && !call.arguments.has("value")) co_return missing_text("text");
  const std::string text = text_argument(call.arguments, "text");
  JsonObject out;
  out.add("action", "type");
  out.add("value", text);
  if (call.arguments.flag("dry_run")) co_return dry_run(std::move(out));
  if (text.empty()) {
    out.add("effect", "no_op");
    out.add("note", "the text is empty, so there was nothing to type");
    co_return out;
  }
  TextRequest request;
  request.text = text;
  request.intent = intent_of(call);
  const Answer<InputReceipt> receipt = co_await engine.desktop.type(std::move(request));
  co_return finish(engine, receipt, std::move(out));
}

Task<ToolOutcome> press_key(Engine& engine, const ToolCall& call) {
  const std::string keys = text_argument(call.arguments, "keys");
  if (keys.empty()) co_return missing_text("keys");
  JsonObject out;
  out.add("action", "key");
  out.add("value", keys);
  if (call.arguments.flag("dry_run")) co_return dry_run(std::move(out));
  KeyRequest request;
  request.keys = keys;
  request.intent = intent_of(call);
  const Answer<InputReceipt> receipt = co_await engine.desktop.key(std::move(request));
  co_return finish(engine, receipt, std::move(out));
}

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
  PointerRequest request;
  request.action = PointerAction::Scroll;
  request.scroll_y = static_cast<std::int32_t>(clicks);
  request.intent = intent_of(call);
  if (*point) {
    request.x = (*point)->x;
    request.y = (*point)->y;
    out.add("x", (*point)->x);
    out.add("y", (*point)->y);
  }
  if (call.arguments.flag("dry_run")) co_return dry_run(std::move(out));
  if (clicks == 0) {
    out.add("effect", "no_op");
    co_return out;
  }
  const Answer<InputReceipt> receipt = co_await engine.desktop.pointer(std::move(request));
  co_return finish(engine, receipt, std::move(out));
}

constexpr Parameter kClickAt[] = {
    kWindowUid,
    kWindowIndex,
    kWindowTitle,
    {"x", ParameterType::Integer, "Screen pixels from the left.", true},
    {"y", ParameterType::Integer, "Screen pixels from the top.", true},
    {"button", ParameterType::String, "Mouse button; left when not given.", false,
     "left|right|middle"},
    {"double", ParameterType::Boolean, "Click twice."},
    kDryRun,
    kConfirmToken,
};
constexpr Parameter kTypeText[] = {
    {"text", ParameterType::String, "Any Unicode text; newline and tab are typed as keys.", true},
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

constexpr Tool kTools[] = {
    {"click_at", click_at, ToolKind::Act, false,
     "Clicks at a point of the screen, in pixels. Take the point from an element's bounds; prefer "
     "click_element.",
     kClickAt},
    {"press_key", press_key, ToolKind::Act, false,
     "Presses a key or a combination of keys in the focused window.", kPressKey},
    {"scroll", scroll, ToolKind::Act, false, "Turns the mouse wheel at a point of the screen.",
     kScroll},
    {"type_text", type_text, ToolKind::Act, false,
     "Types text into whatever has the keyboard focus.", kTypeText},
};

}  // namespace

std::span<const Tool> input_tools() { return kTools; }

}  // namespace gantry::observation
