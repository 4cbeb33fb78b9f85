// SPDX-License-Identifier: Apache-2.0
// Recording of calls: start, stop, status.
#include "tools.hpp"

#include "time_units.hpp"
#include "trace_reading.hpp"

namespace gantry::observation {
namespace {

/// What could not be written, where something could not.
void add_losses(JsonObject& out, const TraceStatus& status) {
  if (status.dropped > 0) out.add("dropped", status.dropped);
  out.add_if("write_error", status.error);
}

Task<ToolOutcome> trace_start(Engine& engine, const ToolCall& call) {
  std::string label = call.arguments.text("label");
  const bool withheld = co_await recordings_are_withheld(engine, call.caller);
  const Outcome<TraceStatus> status = co_await engine.tracer.start(engine, std::move(label));
  if (!status.ok()) {
    Failure why = status.failure();
    if (withheld) why.context = "{}";  // it may name the recording that runs
    co_return why;
  }
  JsonObject out;
  out.add("trace_id", status->trace_id);
  out.add("started_at", static_cast<double>(status->started_wall_ns) / kNanosecondsPerSecond);
  out.add("dir", status->folder);
  co_return out;
}

Task<ToolOutcome> trace_stop(Engine& engine, const ToolCall&) {
  const Outcome<TraceStatus> status = co_await engine.tracer.stop(engine);
  if (!status.ok()) co_return status.failure();
  JsonObject out;
  out.add("trace_id", status->trace_id);
  out.add("path", status->path);
  out.add("step_count", status->steps);
  out.add("duration_ms", status->duration_ms);
  add_losses(out, *status);
  co_return out;
}

/// The same whether or not a recording runs.
JsonObject withheld_status() {
  JsonObject out;
  out.add("step_count", 0);
  out.add("active_trace_id", nullptr);
  out.add("dir", nullptr);
  out.add("withheld",
          "what there is to know of recordings is kept back: trace_read is not allowed");
  return out;
}

Task<ToolOutcome> trace_status(Engine& engine, const ToolCall& call) {
  const bool withheld = co_await recordings_are_withheld(engine, call.caller);
  if (withheld) co_return withheld_status();
  const TraceStatus status = engine.tracer.status(engine);
  JsonObject out;
  out.add("step_count", status.steps);
  if (status.trace_id.empty()) {
    out.add("active_trace_id", nullptr);
    out.add("dir", nullptr);
  } else {
    out.add("active_trace_id", status.trace_id);
    out.add("dir", status.folder);
  }
  add_losses(out, status);
  co_return out;
}

constexpr Parameter kTraceStart[] = {
    {"label", ParameterType::String, "A name for people, kept in the recording's first line."},
};

constexpr Tool kTraceTools[] = {
    {"trace_start", trace_start, ToolKind::Manage, false,
     "Begins to record every call, with pictures of the screen now and then.", kTraceStart},
    {"trace_status",
     trace_status,
     ToolKind::About,
     false,
     "Says which recording runs and how many calls it has.",
     {}},
    {"trace_stop",
     trace_stop,
     ToolKind::Manage,
     false,
     "Ends the recording and says where it is.",
     {}},
};

}  // namespace

std::span<const Tool> trace_tools() { return kTraceTools; }

}  // namespace gantry::observation
