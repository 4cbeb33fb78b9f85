// SPDX-License-Identifier: Apache-2.0
#include "verbs.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "act_roles.hpp"
#include "focus_walk.hpp"
#include "hands.hpp"
#include "time_units.hpp"
#include "tools.hpp"

namespace gantry::observation {
namespace {

constexpr std::int64_t kDefaultHover = 250;
constexpr std::int64_t kMaxHover = 10'000;
constexpr std::int64_t kMaxClicks = 3;

/// A timer as something to await.
struct Sleep {
  Desktop& desktop;
  const Life& life;
  std::int64_t ns;

  [[nodiscard]] bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> waiting) const {
    desktop.start_timer(ns, [&on = life, waiting] { on.resume(waiting); });
  }
  void await_resume() const noexcept {}
};

/// The element's own action of this name, or nothing when it has to be done otherwise.
Task<Outcome<std::optional<Deed>>> native_do(Act& act, std::string action) {
  NativeDetail detail;
  detail.action = std::move(action);
  return native_act(act, A11yVerb::Do, std::move(detail));
}

}  // namespace

Task<bool> pause(Engine& engine, const Life& life, std::int64_t ms) {
  const Sleep sleep{engine.desktop, life, ms * kNanosecondsPerMillisecond};
  co_await sleep;
  co_return true;
}

Task<Outcome<Deed>> perform_click(Act& act) {
  const Arguments& arguments = act.call.arguments;
  const std::string button =
      arguments.has("button") ? arguments.text("button") : std::string(kLeftButton);
  const auto count = arguments.integer("count");
  if (!count.ok()) co_return count.failure();
  const std::int64_t times = count->value_or(1);
  if (times < 1 || times > kMaxClicks) {
    co_return failure(Fault::BadRequest,
                      fmt::format("count must be from 1 to {}, found {}", kMaxClicks, times));
  }
  std::string action = click_action(act.node());
  if (button == kLeftButton && times == 1 && !action.empty()) {
    Outcome<std::optional<Deed>> native = co_await native_do(act, std::move(action));
    if (!native.ok()) co_return native.failure();
    if (*native) co_return **native;
  }
  co_return co_await click_on(act, button, static_cast<std::int32_t>(times));
}

Task<Outcome<Deed>> perform_right_click(Act& act) { return click_on(act, "right", 1); }
Task<Outcome<Deed>> perform_double_click(Act& act) { return click_on(act, kLeftButton, 2); }
Task<Outcome<Deed>> perform_focus(Act& act) { return take_focus(act); }

Task<Outcome<Deed>> perform_invoke(Act& act) {
  std::string action = click_action(act.node());
  if (action.empty() && !act.node().actions.empty()) action = act.node().actions.front();
  if (!action.empty()) {
    Outcome<std::optional<Deed>> native = co_await native_do(act, std::move(action));
    if (!native.ok()) co_return native.failure();
    if (*native) co_return **native;
  }
  co_return co_await click_on(act, kLeftButton, 1);
}

Task<Outcome<Deed>> perform_hover(Act& act) {
  const auto asked = act.call.arguments.integer("hover_ms");
  if (!asked.ok()) co_return asked.failure();
  const std::int64_t ms = std::clamp<std::int64_t>(asked->value_or(kDefaultHover), 0, kMaxHover);
  Outcome<Deed> moved = co_await move_over(act);
  if (!moved.ok()) co_return moved.failure();
  if (!act.engine.directory.is_mock()) {
    (void)co_await pause(act.engine, act.call.life, ms);
    // The adapter's evidence is the pointer's position, read back after the motion.
    if (!moved->evidence.empty()) moved->effect = Effect::Confirmed;
  }
  co_return moved;
}

Task<Outcome<Deed>> perform_key(Act& act) {
  std::string keys = act.call.arguments.text("keys");
  const Outcome<Deed> focused = co_await take_focus(act);
  if (!focused.ok()) co_return focused.failure();
  if (keys.empty()) {
    co_return Deed{Effect::NoOp, focused->route, focused->evidence,
                   "no keys were given, so the element only got the focus"};
  }
  Pieces pieces = chords_of(keys);
  SendPiece send = key_sender(act.engine, intent_of(act.call, act.node().native_ref));
  Outcome<Sent> sent = co_await send_pieces(act, std::move(pieces), std::move(send));
  if (!sent.ok()) co_return sent.failure();
  co_return std::move(sent->deed);
}

}  // namespace gantry::observation
