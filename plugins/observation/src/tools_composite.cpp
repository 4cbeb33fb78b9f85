// SPDX-License-Identifier: Apache-2.0
// An act and a look at what came of it, in one call. The look is made after the application has
// settled and is never taken from a cache; it has a step of its own (observer contract 1.1).
#include <fmt/format.h>

#include <algorithm>

#include "tools.hpp"
#include "verbs.hpp"

namespace gantry::observation {
namespace {

constexpr std::int64_t kMaxWait = 60'000;

/// What the observation would have answered as a call of its own.
JsonObject with_envelope(const ToolOutcome& outcome, const Step& step) {
  JsonObject out;
  if (outcome.ok()) {
    out.add_all(*outcome);
  } else {
    const Failure& why = outcome.failure();
    if (why.members) out.add_all(*why.members);
    JsonObject error;
    error.add("code", fault_row(why.fault).name);
    error.add("message", why.message);
    error.add("context", RawJson{why.context});
    out.add("error", error);
  }
  out.add("ok", outcome.ok());
  out.add("success", outcome.ok());
  out.add("step_id", step.id);
  out.add_or_null("caused_by_step_id", step.caused_by);
  out.add("untrusted", true);
  return out;
}

/// Waits for the time that the call asks for; without one the act's own settling was enough.
Task<Outcome<bool>> wait_longer(Engine& engine, const ToolCall& call) {
  const auto asked = call.arguments.integer("wait_after_ms");
  if (!asked.ok()) co_return asked.failure();
  const std::int64_t ms = std::clamp<std::int64_t>(asked->value_or(0), 0, kMaxWait);
  if (ms == 0 || engine.directory.is_mock()) co_return true;
  (void)co_await pause(engine, call.life, ms);
  co_return true;
}

Task<ToolOutcome> act_and_observe(Engine& engine, const ToolCall& call, std::string_view action) {
  const Tool* const act = find_tool(action);
  const Tool* const look = find_tool("observe_window");
  if (act == nullptr || look == nullptr) {
    co_return failure(Fault::PlatformUnsupported,
                      fmt::format("{} needs {} and observe_window", call.tool.name, action));
  }
  ToolCall first{call.arguments, *act, call.caller, call.step, call.plain, call.life};
  first.settlement = call.settlement;
  ToolOutcome acted = co_await act->run(engine, first);
  if (!acted.ok()) co_return acted.failure();
  const Outcome<bool> waited = co_await wait_longer(engine, call);
  if (!waited.ok()) co_return waited.failure();
  engine.trees.forget_all();
  const Step step = engine.steps.next(false);
  const ToolCall second{call.arguments, *look, call.caller, step, call.plain, call.life};
  const ToolOutcome seen = co_await look->run(engine, second);
  acted->add("observation", with_envelope(seen, step));
  co_return acted;
}

Task<ToolOutcome> click_element_and_observe(Engine& engine, const ToolCall& call) {
  return act_and_observe(engine, call, "click_element");
}
Task<ToolOutcome> type_and_observe(Engine& engine, const ToolCall& call) {
  return act_and_observe(engine, call, "type_text");
}
Task<ToolOutcome> press_key_and_observe(Engine& engine, const ToolCall& call) {
  return act_and_observe(engine, call, "press_key");
}

constexpr Parameter kWaitAfter{"wait_after_ms", ParameterType::Integer,
                               "Waits so long after the act, besides letting it settle."};
constexpr Parameter kSince{"since", ParameterType::String,
                           "tree_token to answer the differences to; the whole tree without."};
constexpr Parameter kClickAndObserve[] = {
    kWindowUid,
    kWindowIndex,
    kWindowTitle,
    {"selector", ParameterType::String, "Element by a selector; the first match."},
    {"element_id", ParameterType::String, "Element by the id of the last capture answered."},
    {"tree_token", ParameterType::String, "The capture that element_id comes from."},
    {"button", ParameterType::String, "Mouse button; left when not given.", false,
     "left|right|middle"},
    {"count", ParameterType::Integer, "Clicks, from 1 to 3; 1 when not given."},
    kWaitAfter,
    kSince,
    kDryRun,
    kConfirmToken,
};
constexpr Parameter kType[] = {
    {"text", ParameterType::String, "Any Unicode text; newline and tab are typed as keys.", true},
    kWindowUid,
    kWindowIndex,
    kWaitAfter,
    kSince,
    kDryRun,
    kConfirmToken,
};
constexpr Parameter kKeyAndObserve[] = {
    {"keys", ParameterType::String, "Key or combination, modifiers first: enter, ctrl+s, alt+f4.",
     true},
    kWindowUid,
    kWindowIndex,
    kWaitAfter,
    kSince,
    kDryRun,
    kConfirmToken,
};

constexpr Tool kCompositeTools[] = {
    {"click_element_and_observe", click_element_and_observe, ToolKind::Act, true,
     "Clicks an element, then observes its window.", kClickAndObserve, "click_element"},
    {"press_key_and_observe", press_key_and_observe, ToolKind::Act, true,
     "Presses keys, then observes the window.", kKeyAndObserve, "press_key"},
    {"type_and_observe", type_and_observe, ToolKind::Act, true,
     "Types text, then observes the window.", kType, "type_text"},
};

}  // namespace

std::span<const Tool> composite_tools() { return kCompositeTools; }

}  // namespace gantry::observation
