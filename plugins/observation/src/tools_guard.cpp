// SPDX-License-Identifier: Apache-2.0
// What the guard says about itself, and asking it for a confirmation (observer contract 1.4, 2.16).
#include <fmt/format.h>

#include <algorithm>

#include "argument_check.hpp"
#include "image_scale.hpp"
#include "node_json.hpp"
#include "occlusion.hpp"
#include "tools.hpp"

namespace gantry::observation {
namespace {

constexpr std::int32_t kPreviewMargin = 8;
constexpr std::int32_t kPreviewWidth = 400;
constexpr std::string_view kAndObserve = "_and_observe";

/// `used_name` is used, elapsed or in_window. A limit that is not set is null, as is what is left.
JsonObject budget_json(const GuardBudget& budget, std::string_view used_name) {
  JsonObject out;
  out.add(used_name, budget.used);
  out.add_or_null("limit", budget.limit);
  if (budget.limit) {
    out.add("remaining", std::max<std::int64_t>(0, *budget.limit - budget.used));
  } else {
    out.add("remaining", nullptr);
  }
  return out;
}

Task<ToolOutcome> get_budget_status(Engine& engine, const ToolCall&) {
  const Outcome<GuardStatusReport> status = co_await engine.gate.status();
  if (!status.ok()) co_return status.failure();
  const GuardBudgets& budgets = status->budgets;
  JsonObject out;
  out.add("configured", budgets.configured);
  out.add("actions", budget_json(budgets.actions, "used"));
  out.add("screenshots", budget_json(budgets.screenshots, "used"));
  out.add("vlm_tokens", budget_json(budgets.vlm_tokens, "used"));
  out.add("session_seconds", budget_json(budgets.session_seconds, "elapsed"));
  out.add("actions_per_minute", budget_json(budgets.actions_per_minute, "in_window"));
  co_return out;
}

Task<ToolOutcome> get_redaction_status(Engine& engine, const ToolCall&) {
  // It may be the first call of all, and runs without the guard's leave.
  const Outcome<bool> known = co_await engine.gate.know_rules();
  const Redaction& redaction = engine.redaction;
  JsonObject out;
  out.add("configured", redaction.patterns_count() > 0);
  out.add("enabled", redaction.rules().enabled);
  out.add("active", redaction.active());
  out.add("patterns_count", redaction.patterns_count());
  out.add("applied_count", redaction.applied_count());
  out.add("blur_screenshots", redaction.rules().blur_screenshots);
  if (!known.ok()) out.add("warning", known.failure().message);
  co_return out;
}

/// The tool whose targets are the action's: looking afterwards has none of its own.
Outcome<const Tool*> proposed_tool(const Arguments& arguments) {
  const std::string action = arguments.text("action");
  if (action.empty()) return failure(Fault::BadRequest, "action is required");
  const Tool* tool = find_tool(action);
  if (tool == nullptr) {
    return failure(Fault::BadRequest, "unknown action; it is the name of a tool that acts",
                   {{"action", action}});
  }
  if (tool->name.ends_with(kAndObserve) && !tool->verb.empty()) tool = find_tool(tool->verb);
  const auto takes = [&](std::string_view name) {
    return std::any_of(tool->parameters.begin(), tool->parameters.end(),
                       [name](const Parameter& p) { return p.name == name; });
  };
  if (!tool->input() || !takes("dry_run") || !takes("confirm_token")) {
    return failure(Fault::BadRequest, "this action needs no confirmation", {{"action", action}});
  }
  return tool;
}

/// What the tool would act on: it is run up to the point where it would ask the guard.
Task<Outcome<std::vector<GateTarget>>> targets_of(Engine& engine, const ToolCall& call) {
  const ToolOutcome outcome = co_await call.tool.run(engine, call);
  if (!call.proposal->targets.empty()) co_return std::move(call.proposal->targets);
  if (!outcome.ok()) co_return outcome.failure();
  co_return failure(Fault::BadRequest, "this action has nothing to act on");
}

Rect preview_area(const GateTarget& target) {
  const Rect& b = target.bounds;
  const Rect wide{b.x - kPreviewMargin, b.y - kPreviewMargin, b.width + 2 * kPreviewMargin,
                  b.height + 2 * kPreviewMargin};
  return intersection(wide, target.window.bounds);
}

/// A picture of the target, empty when there is none: the token is good without it.
Task<std::string> preview(Engine& engine, const GateTarget& target) {
  CaptureRequest request;
  request.target = CaptureTarget::Window;
  request.handle = target.window.handle;
  request.region = preview_area(target);
  const Rect area = *request.region;
  if (target.window.uid.empty() || area.empty()) co_return std::string();
  const Answer<Capture> capture = co_await engine.desktop.capture(std::move(request));
  if (!capture.ok() || (*capture)->image.width <= 0) co_return std::string();
  std::string encoded;
  std::function<void()> work = [&] {
    encoded = scaled_png(part_of(**capture, area), kPreviewWidth);
  };
  const Result<void> done = co_await engine.desktop.offload(std::move(work));
  co_return done.ok() ? encoded : std::string();
}

Task<ToolOutcome> propose_action(Engine& engine, const ToolCall& call) {
  const Outcome<const Tool*> tool = proposed_tool(call.arguments);
  if (!tool.ok()) co_return tool.failure();
  const Outcome<Arguments> given = call.arguments.object("args");
  if (!given.ok()) co_return given.failure();
  const Outcome<Arguments> arguments = check_arguments(**tool, *given);
  if (!arguments.ok()) co_return arguments.failure();
  Proposal proposal;
  const ToolCall inner{*arguments, **tool, call.caller, call.step,      call.plain,
                       call.life,  0,      &proposal,   call.settlement};
  Outcome<std::vector<GateTarget>> targets = co_await targets_of(engine, inner);
  if (!targets.ok()) co_return targets.failure();
  const GateTarget first = targets->front();
  const bool secret = std::any_of(targets->begin(), targets->end(),
                                  [](const GateTarget& one) { return one.password; });
  const Outcome<GuardPromise> promise = co_await engine.gate.propose(inner, std::move(*targets));
  if (!promise.ok()) co_return promise.failure();

  JsonObject target;
  target.add("window_uid", first.window.uid);
  target.add("selector", first.selector);
  if (!first.path.empty()) target.add("path", first.path);
  // Who shows the arguments to a person cannot tell it from a selector: names and roles vary.
  if (secret) target.add("secret", true);
  target.add("bounds", rect_json(first.bounds));
  if (promise->picture_allowed) {
    const std::string picture = co_await preview(engine, first);
    if (!picture.empty()) target.add("screenshot_b64", RawJson{'"' + picture + '"'});
  }
  JsonObject out;
  out.add("confirm_token", promise->confirm_token);
  out.add("expires_at", promise->expires_at);
  out.add("would_target", target);
  co_return out;
}

constexpr Parameter kPropose[] = {
    {"action", ParameterType::String, "The tool that is to act, by name.", true},
    {"args",
     ParameterType::Object,
     "The arguments that it will be called with; the token is bound to them.",
     false,
     {},
     {},
     kProposedArguments},
};

constexpr Tool kGuardTools[] = {
    {"get_budget_status", get_budget_status, ToolKind::About, false,
     "Says what was used of each budget and what is left."},
    {"get_redaction_status", get_redaction_status, ToolKind::About, false,
     "Says whether and how often texts were hidden."},
    {"propose_action", propose_action, ToolKind::Manage, true,
     "Finds out what an action would act on, and gives the token that confirms it.", kPropose},
};

}  // namespace

std::span<const Tool> guard_tools() { return kGuardTools; }

}  // namespace gantry::observation
