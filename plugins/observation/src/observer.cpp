// SPDX-License-Identifier: Apache-2.0
#include "observer.hpp"

#include "argument_check.hpp"
#include "oracles.hpp"
#include "senses.hpp"
#include "trace_record.hpp"

namespace gantry::observation {
namespace {

JsonObject error_object(const Failure& failure) {
  const FaultRow& row = fault_row(failure.fault);
  JsonObject error;
  error.add("code", row.name);
  error.add("message", failure.message);
  error.add("recoverable", row.recoverable);
  if (row.suggested_tool.empty()) {
    error.add("suggested_next_tool", nullptr);
  } else {
    error.add("suggested_next_tool", row.suggested_tool);
  }
  error.add("context", RawJson{failure.context});
  return error;
}

ObserverToolResult failed(const Failure& failure, JsonObject members) {
  members.add("ok", false);
  members.add("success", false);
  members.add("error", error_object(failure));
  ObserverToolResult result;
  result.ok = false;
  result.error_code = fault_row(failure.fault).name;
  result.message = failure.message;
  result.result = Json(members.text());
  return result;
}

/// Tells the caller what had no effect: a slip of the pen would otherwise look like success.
void add_ignored(JsonObject& answer, const Tool& tool, const Arguments& arguments) {
  const std::vector<std::string> ignored = ignored_arguments(tool, arguments);
  if (ignored.empty()) return;
  JsonArray names;
  for (const std::string& name : ignored) names.add(name);
  answer.add("ignored_arguments", names.done());
}

/// What a receipt says. A quote inside of a text is escaped, so no text can look like it.
std::optional<bool> changed_of(const std::string& result) {
  if (result.find(R"("changed":true)") != std::string::npos) return true;
  if (result.find(R"("changed":false)") != std::string::npos) return false;
  return std::nullopt;
}

/// What only reads elements has no picture in it, and its answers are long.
bool shows_picture(const Tool& tool, const std::string& result) {
  if (tool.kind == ToolKind::Picture) return true;
  return tool.kind != ToolKind::Read && result.find(R"("screenshot_b64":")") != std::string::npos;
}

void note_end(Settlement& settlement, const ObserverToolResult& result) {
  settlement.ok = result.ok;
  settlement.error_code = result.error_code;
}

ObserverToolResult succeeded(const JsonObject& members) {
  ObserverToolResult result;
  result.result = Json(members.text());
  return result;
}

}  // namespace

Observer::Observer(Desktop& desktop, const Settings& settings, std::string version, Gate& gate)
    : engine_(desktop, settings, std::move(version), gate), started_ns_(desktop.monotonic_ns()) {
  engine_.dispatch = [this](Ref<ObserverToolRequest> request) {
    return run(std::move(request), std::make_shared<Life>());
  };
}

void Observer::reconfigure(const Settings& settings) {
  engine_.settings = settings;
  engine_.trees.apply_settings();
}

void Observer::end() {
  engine_.lane.end();  // first: an act that ends below must find nobody to pass its turn to
  engine_.pulse.end();
}

Task<ObserverToolResult> Observer::run(Ref<ObserverToolRequest> request,
                                       std::shared_ptr<const Life> life) {
  const Tool* tool = find_tool(request->tool);
  Settlement settlement;
  settlement.serial = ++calls_;
  settlement.tool = request->tool;
  settlement.row = tool;
  settlement.caller = request->caller;
  ObserverToolResult result;
  if (tool == nullptr) {
    result = failed(failure(Fault::BadRequest, "unknown tool: " + request->tool), {});
  } else {
    result = co_await run_recorded(request, *tool, life, settlement);
  }
  note_end(settlement, result);
  settlement.arguments = engine_.redaction.cleans_records()
                             ? cleaned_args(request->arguments.text, recorded_text(engine_))
                             : request->arguments.text;
  if (tool != nullptr && tool->input()) settlement.changed = changed_of(result.result.text);
  settlement.picture = result.ok && tool != nullptr && shows_picture(*tool, result.result.text);
  engine_.gate.settle(settlement);
  co_return result;
}

Task<ObserverToolResult> Observer::run_recorded(Ref<ObserverToolRequest> request, const Tool& tool,
                                                std::shared_ptr<const Life> life,
                                                Settlement& settlement) {
  if (!engine_.tracer.wants(tool)) {
    ObserverToolResult result = co_await run_tool(request, tool, life, settlement);
    note_end(settlement, result);
    if (tool.input() && engine_.directory.is_mock()) {
      co_await watch_scenario(engine_, engine_.steps.count());
    }
    co_return result;
  }
  const TraceMoment before = co_await engine_.tracer.before(engine_);
  ObserverToolResult result = co_await run_tool(request, tool, life, settlement);
  note_end(settlement, result);
  co_await engine_.tracer.record(engine_, tool, *request, before, result, settlement);
  co_return result;
}

Task<ObserverToolResult> Observer::run_tool(Ref<ObserverToolRequest> request, const Tool& wanted,
                                            std::shared_ptr<const Life> life,
                                            Settlement& settlement) {
  const Tool* tool = &wanted;
  const Outcome<Arguments> parsed = Arguments::parse(request->arguments.text);
  if (!parsed.ok()) co_return failed(parsed.failure(), {});

  JsonObject envelope;
  Step step;
  if (!request->plain) {
    step = engine_.steps.next(tool->input());
    envelope.add("step_id", step.id);
    settlement.step = step.id;
    if (tool->untrusted) envelope.add("untrusted", true);
  }
  const Outcome<Arguments> arguments = check_arguments(*tool, *parsed);
  if (!arguments.ok()) co_return failed(arguments.failure(), std::move(envelope));
  ToolCall call{*arguments, *tool, request->caller, step, request->plain, *life, settlement.serial};
  call.settlement = &settlement;
  const Outcome<bool> admitted = co_await engine_.gate.admit(call);
  if (!admitted.ok()) co_return failed(admitted.failure(), std::move(envelope));
  ToolOutcome outcome = co_await tool->run(engine_, call);
  if (!outcome.ok()) {
    const Failure& why = outcome.failure();
    if (why.members) envelope.add_all(*why.members);
    co_return failed(why, std::move(envelope));
  }

  JsonObject& answer = *outcome;
  add_ignored(answer, *tool, *arguments);
  if (!request->plain) {
    answer.add("ok", true);
    answer.add("success", true);
    answer.add("step_id", step.id);
    answer.add_or_null("caused_by_step_id", step.caused_by);
    if (tool->untrusted) answer.add("untrusted", true);
  }
  co_return succeeded(answer);
}

ObserverStatusReport Observer::status() const {
  ObserverStatusReport report;
  report.adapter = engine_.directory.adapter();
  report.platform = engine_.directory.platform();
  report.is_mock = engine_.directory.is_mock();
  report.probed = engine_.directory.probed();
  report.version = engine_.version;
  report.started_ns = started_ns_;
  report.step_count = engine_.steps.count();
  const TreeCache& cache = engine_.trees.cache();
  report.tree_cache.hits = cache.totals().hits;
  report.tree_cache.misses = cache.totals().misses;
  report.tree_cache.entries = cache.entries();
  report.tree_cache.capture_count = cache.totals().capture_count;
  report.tree_cache.capture_ms_total = cache.totals().capture_ms_total;
  report.tree_cache.capture_ms_max = cache.totals().capture_ms_max;
  const GuardBudgets& budgets = engine_.gate.budgets();
  report.budgets = budgets.configured;
  report.actions_used = budgets.actions.used;
  report.screenshots_used = budgets.screenshots.used;
  report.ocr = ocr_sense(engine_.settings, engine_.reader);
  report.tracing = engine_.tracer.active();
  report.trace_id = engine_.tracer.status(engine_).trace_id;
  report.trace_changes = engine_.tracer.changes();
  report.vlm = vlm_sense(engine_.settings, engine_.describer);
  return report;
}

}  // namespace gantry::observation
