// SPDX-License-Identifier: Apache-2.0
#include "observer.hpp"

#include "argument_check.hpp"
#include "senses.hpp"

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

ObserverToolResult succeeded(const JsonObject& members) {
  ObserverToolResult result;
  result.result = Json(members.text());
  return result;
}

}  // namespace

Observer::Observer(Desktop& desktop, const Settings& settings, std::string version)
    : engine_(desktop, settings, std::move(version)), started_ns_(desktop.monotonic_ns()) {}

void Observer::reconfigure(const Settings& settings) {
  engine_.settings = settings;
  engine_.trees.apply_settings();
}

Task<ObserverToolResult> Observer::run(Ref<ObserverToolRequest> request) {
  const Tool* tool = find_tool(request->tool);
  if (tool == nullptr) {
    co_return failed(failure(Fault::BadRequest, "unknown tool: " + request->tool), {});
  }
  const Outcome<Arguments> parsed = Arguments::parse(request->arguments.text);
  if (!parsed.ok()) co_return failed(parsed.failure(), {});

  JsonObject envelope;
  Step step;
  if (!request->plain) {
    step = engine_.steps.next(tool->input());
    envelope.add("step_id", step.id);
    if (tool->untrusted) envelope.add("untrusted", true);
  }
  const Outcome<Arguments> arguments = check_arguments(*tool, *parsed);
  if (!arguments.ok()) co_return failed(arguments.failure(), std::move(envelope));
  const ToolCall call{*arguments, *tool, request->caller, step, request->plain};
  ToolOutcome outcome = co_await tool->run(engine_, call);
  if (!outcome.ok()) co_return failed(outcome.failure(), std::move(envelope));

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
  report.ocr = ocr_sense(engine_.settings);
  report.vlm = vlm_sense(engine_.settings);
  return report;
}

}  // namespace gantry::observation
