// SPDX-License-Identifier: Apache-2.0
#include "hands.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "act_roles.hpp"
#include "tools.hpp"

namespace gantry::observation {
namespace {

constexpr std::int32_t kActivationTimeout = 1000;  // ms
constexpr std::int64_t kPatience = 1'000'000'000;  // ns
constexpr std::int64_t kGlance = 100'000'000;

Failure element_gone(const Act& act, const Error& error) {
  return failure(
      Fault::ElementNotFound,
      fmt::format("element '{}' went away before the act: {}", act.node().id, error.message),
      {{"element_id", act.node().id}, {"window_uid", act.window.info.uid}});
}

std::string_view verb_name(A11yVerb verb) {
  constexpr std::array<std::string_view, 8> kNames{"action",    "focus", "set_text",  "insert_text",
                                                   "set_value", "text",  "scroll_to", "selection"};
  return kNames[static_cast<std::size_t>(verb)];
}

Failure not_focused(const Act& act) {
  return failure(Fault::PatternUnsupported,
                 fmt::format("element '{}' did not take the keyboard focus, so nothing was typed",
                             act.node().id),
                 {{"element_id", act.node().id}, {"window_uid", act.window.info.uid}});
}

/// Makes the window the active one: an element of another window never has the keyboard.
Task<bool> activate_window(Act& act) {
  if (act.window.info.focused) co_return true;
  ActivateWindowRequest request;
  request.handle = act.window.info.handle;
  request.timeout_ms = kActivationTimeout;
  const Answer<ActivateWindowResult> answer =
      co_await act.engine.desktop.activate(std::move(request));
  if (!answer.ok() || !(*answer)->active) co_return false;
  act.window.info.focused = true;
  // It is on top now.
  const Answer<WindowList> all = co_await act.engine.desktop.all_windows();
  if (all.ok()) {
    for (const WindowInfo& window : (*all)->windows) {
      if (window.uid == act.window.info.uid) act.window.info.stacking = window.stacking;
    }
    act.covers = frames_above((*all)->windows, act.window.info);
  }
  co_return true;
}

/// Reads whether the element has the focus now.
Task<bool> has_focus(Act& act) {
  const std::function<bool(const Node&)> focused = [](const Node& node) { return node.focused; };
  co_return co_await look_until(act, focused);
}

}  // namespace

Task<bool> look_until(Act& act, const std::function<bool(const Node&)>& wanted) {
  Engine& engine = act.engine;
  const bool patient = !engine.directory.is_mock();
  const std::int64_t deadline = engine.desktop.monotonic_ns() + (patient ? kPatience : 0);
  (void)co_await let_settle(act);
  for (;;) {
    const std::uint64_t since = engine.pulse.serial();
    const bool there = co_await look_again(act);
    if (there && wanted(act.node())) co_return true;
    const std::int64_t now = engine.desktop.monotonic_ns();
    if (!there || now >= deadline) co_return false;
    const std::int64_t pid = engine.trees.process_of(act.window.info);
    const std::int64_t until = std::min(deadline, now + kGlance);
    (void)co_await engine.pulse.next(pid, since, until, act.call.life);
  }
}

Outcome<Deed> delivered(const Answer<InputReceipt>& answer) {
  if (!answer.ok()) return failure_from(answer.error());
  const InputReceipt& receipt = **answer;
  if (!receipt.delivered) {
    return failure(
        Fault::Internal,
        "the input was not delivered to the display: " +
            (receipt.note.empty() ? receipt.evidence : receipt.note),
        {{"effect", "refused"}, {"route", receipt.route}, {"evidence", receipt.evidence}});
  }
  return Deed{Effect::Unverified, receipt.route, receipt.evidence, receipt.note};
}

Task<Outcome<std::optional<Deed>>> native_act(Act& act, A11yVerb verb, NativeDetail detail) {
  using Attempt = std::optional<Deed>;
  if (act.node().native_ref.empty()) co_return Attempt();
  A11yActionRequest request;
  request.native = act.node().native_ref;
  request.verb = verb;
  request.action = detail.action;
  request.text = std::move(detail.text);
  request.value = detail.value;
  request.intent = intent_of(act.call, act.node().native_ref);
  const std::string route =
      fmt::format("a11y:{}", detail.action.empty() ? verb_name(verb) : detail.action);
  const Answer<A11yActionResult> answer = co_await act.engine.desktop.act(std::move(request));
  if (answer.ok()) {
    if (!(*answer)->accepted) co_return Attempt();
    co_return Attempt(Deed{Effect::Unverified, route, (*answer)->evidence, {}});
  }
  const Error& error = answer.error();
  if (error.code == Code::NotFound) co_return element_gone(act, error);
  if (error.code == Code::DeadlineExceeded) {
    // It may well have been done: a button that opens a modal dialog answers when that is closed.
    co_return Attempt(Deed{Effect::Unverified, route, {}, error.message});
  }
  co_return Attempt();  // toolkits have many words for not being able to
}

Task<Outcome<std::optional<Deed>>> native_act(Act& act, A11yVerb verb) {
  return native_act(act, verb, NativeDetail{});
}

Task<std::optional<std::string>> chosen_child(Act& act) {
  if (act.node().native_ref.empty()) co_return std::nullopt;
  A11yActionRequest request;
  request.native = act.node().native_ref;
  request.verb = A11yVerb::GetSelection;
  request.intent = intent_of(act.call, act.node().native_ref);
  const Answer<A11yActionResult> answer = co_await act.engine.desktop.act(std::move(request));
  if (!answer.ok() || !(*answer)->accepted) co_return std::nullopt;
  co_return (*answer)->text;
}

namespace {

Task<Outcome<Deed>> point_at(Act& act, PointerRequest request) {
  if (act.parts.empty()) {
    co_return failure(Fault::ElementOccluded,
                      fmt::format("element '{}' has no visible point", act.node().id),
                      {{"element_id", act.node().id}, {"window_uid", act.window.info.uid}});
  }
  const ScreenPoint point = point_in(act.node().bounds, act.parts);
  const Outcome<bool> allowed = co_await admit_point(act, point);
  if (!allowed.ok()) co_return allowed.failure();
  request.x = point.x;
  request.y = point.y;
  request.intent = intent_of(act.call, act.node().native_ref);
  const Answer<InputReceipt> answer = co_await act.engine.desktop.pointer(std::move(request));
  co_return delivered(answer);
}

}  // namespace

Task<Outcome<Deed>> click_on(Act& act, std::string_view button, std::int32_t count) {
  PointerRequest request;
  request.action = PointerAction::Click;
  request.button = button;
  request.count = count;
  return point_at(act, std::move(request));
}

Task<Outcome<Deed>> move_over(Act& act) {
  PointerRequest request;
  request.action = PointerAction::Move;
  return point_at(act, std::move(request));
}

Task<Outcome<Deed>> send_text(Act& act, std::string text) {
  TextRequest request;
  request.text = std::move(text);
  request.intent = intent_of(act.call, act.node().native_ref);
  const Answer<InputReceipt> answer = co_await act.engine.desktop.type(std::move(request));
  co_return delivered(answer);
}

Task<Outcome<Deed>> send_keys(Act& act, std::string keys) {
  KeyRequest request;
  request.keys = std::move(keys);
  request.intent = intent_of(act.call, act.node().native_ref);
  const Answer<InputReceipt> answer = co_await act.engine.desktop.key(std::move(request));
  co_return delivered(answer);
}

Task<Outcome<Deed>> take_focus(Act& act) {
  const bool mock = act.engine.directory.is_mock();
  const bool active = co_await activate_window(act);
  if (!active && !mock) co_return not_focused(act);
  if (act.node().focused && act.window.info.focused) {
    co_return Deed{Effect::Confirmed, "none", "it has the focus already", {}};
  }
  Outcome<std::optional<Deed>> native = co_await native_act(act, A11yVerb::Focus);
  if (!native.ok()) co_return native.failure();
  if (mock) {
    // Made-up desktops take a click for the focus and show none.
    if (*native) co_return **native;
    co_return co_await click_on(act, kLeftButton, 1);
  }
  if (*native) {
    const bool focused = co_await has_focus(act);
    if (focused) co_return Deed{Effect::Confirmed, (*native)->route, "focused: true", {}};
  }
  if (takes_text(act.node())) {
    const Outcome<Deed> clicked = co_await click_on(act, kLeftButton, 1);
    if (!clicked.ok()) co_return clicked.failure();
    const bool focused = co_await has_focus(act);
    if (focused) co_return Deed{Effect::Confirmed, clicked->route, "focused: true", {}};
  }
  co_return not_focused(act);
}

}  // namespace gantry::observation
