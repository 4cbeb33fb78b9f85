// SPDX-License-Identifier: Apache-2.0
#include "rules.hpp"

#include <gantry/contract.hpp>

#include <boost/describe/enum_to_string.hpp>

#include <utility>

#include "payloads.hpp"

namespace gantry::runs {
namespace {

constexpr std::string_view kBackend = "backend";
constexpr std::string_view kWorker = "worker";

bool is_blank(std::string_view text) {
  return text.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

template <class Payload>
EventBody event(std::string_view type, std::string_view source, const Payload& payload) {
  return {std::string(type), std::string(source), Json(to_json(payload))};
}

EventBody trace(const Record& record, std::string_view what) {
  return event("trace-event", kBackend,
               TracePayload{std::string(what), record.run.status, record.run.control_mode,
                            record.run.conversation_ref});
}

/// The metadata's own, when it is a text that is not blank.
std::string conversation_ref_of(const Json& metadata, const std::string& run_id) {
  const auto given = from_json<Metadata>(metadata.text);
  if (given.ok() && given->conversation_ref && !is_blank(*given->conversation_ref)) {
    return *given->conversation_ref;
  }
  return "run-" + run_id;
}

/// A run that goes on changing.
void touch(Record& record, std::int64_t now_ms) { record.run.updated_ms = now_ms; }

RunStatus after(RunAction action, const Run& run) {
  switch (action) {
    case RunAction::pause: return RunStatus::paused;
    case RunAction::resume: return run.worker ? RunStatus::running : RunStatus::awaiting_worker;
    case RunAction::stop: return RunStatus::stopped;
    case RunAction::set_control_mode: break;
  }
  return run.status;
}

}  // namespace

bool is_active(RunStatus status) { return status <= RunStatus::paused; }

bool is_live(const Record& record) {
  return is_active(record.run.status) || (record.run.worker && !record.commands.empty());
}

bool is_waiting(const Record& record) {
  return !record.run.worker && record.run.status == RunStatus::awaiting_worker;
}

bool belongs_to(const Record& record, const RunHeartbeatRequest& worker) {
  return record.run.worker && record.run.worker->worker_id == worker.worker_id &&
         record.run.workspace_id == worker.workspace_id;
}

std::string_view action_name(RunAction action) {
  switch (action) {
    case RunAction::pause: return "pause";
    case RunAction::resume: return "resume";
    case RunAction::stop: return "stop";
    case RunAction::set_control_mode: return "set-control-mode";
  }
  return "";
}

std::string_view status_name(RunStatus status) {
  return boost::describe::enum_to_string(status, "");
}

Events create(Record& record, const RunCreateRequest& request, std::string run_id,
              std::int64_t now_ms) {
  Run& run = record.run;
  run.run_id = std::move(run_id);
  run.workspace_id = request.workspace_id;
  run.agent_id = request.agent_id;
  run.conversation_ref = conversation_ref_of(request.metadata, run.run_id);
  run.query = request.query;
  run.requested_by = request.requested_by;
  run.files = request.files;
  run.metadata = request.metadata;
  run.created_ms = now_ms;
  touch(record, now_ms);
  return {event("run-created", kBackend,
                CreatedPayload{run.workspace_id, text_or_null(run.agent_id), run.conversation_ref,
                               text_or_null(run.requested_by), run.status}),
          trace(record, "run-created")};
}

Events post_event(Record& record, const RunPostEventRequest& request, std::int64_t now_ms) {
  RunStatus& status = record.run.status;
  if (request.event_type == "streaming-complete") {
    status = RunStatus::completed;
  } else if (request.event_type == "error") {
    status = RunStatus::failed;
  } else if (status == RunStatus::awaiting_worker || status == RunStatus::queued) {
    status = RunStatus::running;
  }
  touch(record, now_ms);
  return {{request.event_type, request.source, request.payload}, trace(record, request.event_type)};
}

Result<Events> control(Record& record, const Control& wanted, std::int64_t now_ms) {
  Run& run = record.run;
  if (wanted.action == RunAction::set_control_mode && !wanted.control_mode) {
    return invalid_argument("control_mode is required when action is set-control-mode");
  }
  const bool goes_on = wanted.action == RunAction::pause || wanted.action == RunAction::resume;
  if (goes_on && !is_active(run.status)) {
    return Error{Code::FailedPrecondition,
                 "the run is " + std::string(status_name(run.status)) + "; it cannot be " +
                     std::string(action_name(wanted.action)) + "d any more",
                 to_json(EndedDetail{"ended", run.status})};
  }
  run.status = after(wanted.action, run);
  if (wanted.control_mode) run.control_mode = *wanted.control_mode;
  touch(record, now_ms);
  record.commands.push_back({run.run_id, wanted.command_id, wanted.action, wanted.requested_by,
                             run.control_mode, now_ms});
  const std::string name(action_name(wanted.action));
  return Events{
      trace(record, name),
      event("run-control", kBackend,
            ControlPayload{name, text_or_null(wanted.requested_by), run.control_mode, run.status,
                           wanted.command_id, wanted.bulk ? std::optional(true) : std::nullopt})};
}

Events heartbeat(Record& record, const RunHeartbeatRequest& worker, std::int64_t now_ms) {
  record.run.last_heartbeat_ms = now_ms;
  touch(record, now_ms);
  return {event("worker-heartbeat", kWorker,
                WorkerPayload{worker.worker_id, worker.vm_id, worker.user_id, worker.status})};
}

Events assign(Record& record, const RunHeartbeatRequest& worker, std::int64_t now_ms) {
  Run& run = record.run;
  run.worker =
      RunWorker{worker.worker_id, worker.vm_id, worker.user_id, worker.session_id, worker.agent_id};
  run.status = RunStatus::queued;
  run.last_heartbeat_ms = now_ms;
  touch(record, now_ms);
  return {event("run-worker-assigned", kBackend,
                WorkerPayload{worker.worker_id, worker.vm_id, worker.user_id, worker.status})};
}

Result<Events> dispatched(Record& record, const RunDispatchedRequest& request,
                          std::int64_t now_ms) {
  Run& run = record.run;
  if (!run.worker || run.worker->worker_id != request.worker_id ||
      run.worker->user_id != request.user_id) {
    return not_found("the run is not this worker's; heartbeat first");
  }
  run.query_message_id = request.turn_ref;
  if (request.conversation_ref && !is_blank(*request.conversation_ref)) {
    run.conversation_ref = *request.conversation_ref;
  }
  run.status = RunStatus::running;
  touch(record, now_ms);
  return Events{
      event("run-dispatched", kWorker,
            DispatchedPayload{request.worker_id, request.turn_ref, run.conversation_ref})};
}

}  // namespace gantry::runs
