// SPDX-License-Identifier: Apache-2.0
//
// Runs: queries that a dashboard hands to workers on other machines. Everything here is on the
// store before it is answered, so a restart loses no run and gives none to two workers. Runs belong
// to workspaces; whoever may call these contracts reaches all of them, so protocols ask for a key
// first. Times are milliseconds since the epoch.
#pragma once

#include <gantry/contracts/common.hpp>
#include <gantry/json.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gantry {

/// The first four are active: they count against the cap of their workspace.
enum class RunStatus : std::uint8_t {
  awaiting_worker,
  queued,
  running,
  paused,
  completed,
  failed,
  stopped
};
BOOST_DESCRIBE_ENUM(RunStatus, awaiting_worker, queued, running, paused, completed, failed, stopped)

enum class RunControlMode : std::uint8_t { agent_only, shared_control, human_override };
BOOST_DESCRIBE_ENUM(RunControlMode, agent_only, shared_control, human_override)

enum class RunAction : std::uint8_t { pause, resume, stop, set_control_mode };
BOOST_DESCRIBE_ENUM(RunAction, pause, resume, stop, set_control_mode)

struct RunFile {
  std::string artifact_id;
  std::optional<std::string> filename;
  std::optional<std::string> content_type;
};
BOOST_DESCRIBE_STRUCT(RunFile, (), (artifact_id, filename, content_type))

/// The worker that a run was given to, as it was at that moment.
struct RunWorker {
  std::string worker_id;
  std::string vm_id;
  std::string user_id;
  std::optional<std::string> session_id;
  std::optional<std::string> agent_id;
};
BOOST_DESCRIBE_STRUCT(RunWorker, (), (worker_id, vm_id, user_id, session_id, agent_id))

struct Run {
  std::string run_id;
  std::string workspace_id;
  std::optional<std::string> agent_id;
  std::string conversation_ref;
  std::optional<std::string> query_message_id;  // the worker's turn_ref, once dispatched
  std::string query;
  std::optional<std::string> requested_by;
  std::vector<RunFile> files;
  Json metadata{"{}"};
  RunStatus status = RunStatus::awaiting_worker;
  RunControlMode control_mode = RunControlMode::agent_only;
  std::optional<RunWorker> worker;
  std::int64_t created_ms = 0;
  std::int64_t updated_ms = 0;
  std::optional<std::int64_t> last_heartbeat_ms;  // of its worker
  std::int64_t last_event_seq = 0;
};
BOOST_DESCRIBE_STRUCT(Run, (),
                      (run_id, workspace_id, agent_id, conversation_ref, query_message_id, query,
                       requested_by, files, metadata, status, control_mode, worker, created_ms,
                       updated_ms, last_heartbeat_ms, last_event_seq))

/// `seq` counts from 1 in each run, without a gap.
struct RunEvent {
  std::int64_t seq = 0;
  std::int64_t at_ms = 0;
  std::string event_type;
  std::string source;
  Json payload{"{}"};
};
BOOST_DESCRIBE_STRUCT(RunEvent, (), (seq, at_ms, event_type, source, payload))

struct RunCreateRequest {
  std::string workspace_id;
  std::optional<std::string> agent_id;
  std::string query;
  std::optional<std::string> requested_by;
  std::vector<RunFile> files;
  Json metadata{"{}"};  // an object
};
BOOST_DESCRIBE_STRUCT(RunCreateRequest, (),
                      (workspace_id, agent_id, query, requested_by, files, metadata))

struct RunAndEvents {
  Run run;
  std::vector<RunEvent> events;
};
BOOST_DESCRIBE_STRUCT(RunAndEvents, (), (run, events))

/// Errors: invalid_argument, failed_precondition (the workspace has as many active runs as it may;
/// detail {"reason":"active_run_limit","limit":1}), unavailable.
struct RunCreate {
  static constexpr std::string_view kName = "gantry.run.create/1";
  static constexpr std::string_view kDoc = "Queues a run for the workers of a workspace.";
  using Request = RunCreateRequest;
  using Response = RunAndEvents;
};

struct RunRequest {
  std::string run_id;
};
BOOST_DESCRIBE_STRUCT(RunRequest, (), (run_id))

/// Errors: not_found.
struct RunGet {
  static constexpr std::string_view kName = "gantry.run.get/1";
  static constexpr std::string_view kDoc = "Reads a run.";
  using Request = RunRequest;
  using Response = Run;
};

struct RunEventsRequest {
  std::string run_id;
  std::int64_t after_seq = 0;
  std::int32_t limit = 200;  // 1 to 1000
};
BOOST_DESCRIBE_STRUCT(RunEventsRequest, (), (run_id, after_seq, limit))

struct RunEventPage {
  std::string run_id;
  std::vector<RunEvent> events;
  std::int64_t next_after_seq = 0;
};
BOOST_DESCRIBE_STRUCT(RunEventPage, (), (run_id, events, next_after_seq))

/// Errors: not_found, invalid_argument (the numbers).
struct RunEvents {
  static constexpr std::string_view kName = "gantry.run.events/1";
  static constexpr std::string_view kDoc = "Reads a run's events.";
  using Request = RunEventsRequest;
  using Response = RunEventPage;
};

struct RunPostEventRequest {
  std::string run_id;
  std::string event_type;
  std::string source = "worker-stream";
  Json payload{"{}"};
};
BOOST_DESCRIBE_STRUCT(RunPostEventRequest, (), (run_id, event_type, source, payload))

struct RunAndEvent {
  Run run;
  RunEvent latest_event;
};
BOOST_DESCRIBE_STRUCT(RunAndEvent, (), (run, latest_event))

/// `streaming-complete` ends the run as completed, `error` as failed; others show that it runs.
/// Errors: not_found, invalid_argument.
struct RunPostEvent {
  static constexpr std::string_view kName = "gantry.run.post_event/1";
  static constexpr std::string_view kDoc = "Adds what a worker saw to a run's events.";
  using Request = RunPostEventRequest;
  using Response = RunAndEvent;
};

struct RunControlRequest {
  std::string run_id;
  RunAction action = RunAction::pause;
  std::optional<std::string> requested_by;
  std::optional<RunControlMode> control_mode;  // set_control_mode needs it
};
BOOST_DESCRIBE_STRUCT(RunControlRequest, (), (run_id, action, requested_by, control_mode))

/// Errors: not_found, invalid_argument (no control_mode), failed_precondition (pausing or resuming
/// what has ended; detail {"reason":"ended","status":"completed"}).
struct RunControl {
  static constexpr std::string_view kName = "gantry.run.control/1";
  static constexpr std::string_view kDoc =
      "Pauses, resumes or stops a run, or says who controls it.";
  using Request = RunControlRequest;
  using Response = RunAndEvent;
};

/// What a worker is told, once.
struct RunCommand {
  std::string run_id;
  std::string command_id;
  RunAction action = RunAction::pause;
  std::optional<std::string> requested_by;
  RunControlMode control_mode = RunControlMode::agent_only;
  std::int64_t created_ms = 0;
};
BOOST_DESCRIBE_STRUCT(RunCommand, (),
                      (run_id, command_id, action, requested_by, control_mode, created_ms))

struct RunHeartbeatRequest {
  std::string workspace_id;
  std::string worker_id;
  std::string vm_id;
  std::string user_id;
  std::optional<std::string> session_id;
  std::optional<std::string> agent_id;
  std::string status = "ready";  // only "ready" and "running" get work
  Json metadata{"{}"};
};
BOOST_DESCRIBE_STRUCT(RunHeartbeatRequest, (),
                      (workspace_id, worker_id, vm_id, user_id, session_id, agent_id, status,
                       metadata))

struct RunWorkerState {
  std::string worker_id;
  std::string workspace_id;
  std::string vm_id;
  std::string user_id;
  std::optional<std::string> session_id;
  std::optional<std::string> agent_id;
  std::string status;
  Json metadata{"{}"};
  std::int64_t last_heartbeat_ms = 0;
};
BOOST_DESCRIBE_STRUCT(RunWorkerState, (),
                      (worker_id, workspace_id, vm_id, user_id, session_id, agent_id, status,
                       metadata, last_heartbeat_ms))

struct RunHeartbeatAnswer {
  RunWorkerState worker;
  std::optional<Run> assigned_run;
  std::vector<RunCommand> control_commands;
};
BOOST_DESCRIBE_STRUCT(RunHeartbeatAnswer, (), (worker, assigned_run, control_commands))

/// The oldest run of the workspace that waits goes to the worker. Errors: invalid_argument.
struct RunHeartbeat {
  static constexpr std::string_view kName = "gantry.run.heartbeat/1";
  static constexpr std::string_view kDoc = "A worker is there: answers its work and commands.";
  using Request = RunHeartbeatRequest;
  using Response = RunHeartbeatAnswer;
};

struct RunDispatchedRequest {
  std::string run_id;
  std::string worker_id;
  std::string user_id;
  std::string turn_ref;
  std::optional<std::string> conversation_ref;
};
BOOST_DESCRIBE_STRUCT(RunDispatchedRequest, (),
                      (run_id, worker_id, user_id, turn_ref, conversation_ref))

/// Errors: not_found (no such run, or it is not this worker's and user's).
struct RunDispatched {
  static constexpr std::string_view kName = "gantry.run.dispatched/1";
  static constexpr std::string_view kDoc = "A worker has handed the run's query to its agent.";
  using Request = RunDispatchedRequest;
  using Response = RunAndEvent;
};

struct RunStopAllRequest {
  std::optional<std::string> workspace_id;  // none or blank: all
  std::optional<std::string> requested_by;
};
BOOST_DESCRIBE_STRUCT(RunStopAllRequest, (), (workspace_id, requested_by))

struct RunsStopped {
  std::optional<std::string> workspace_id;
  std::vector<std::string> stopped_run_ids;
};
BOOST_DESCRIBE_STRUCT(RunsStopped, (), (workspace_id, stopped_run_ids))

struct RunStopAll {
  static constexpr std::string_view kName = "gantry.run.stop_all/1";
  static constexpr std::string_view kDoc = "Stops every active run.";
  using Request = RunStopAllRequest;
  using Response = RunsStopped;
};

}  // namespace gantry
