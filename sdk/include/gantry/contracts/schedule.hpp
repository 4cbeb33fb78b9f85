// SPDX-License-Identifier: Apache-2.0
//
// Schedules: prompts that are run at a time, without anybody there. A job belongs to a principal;
// when it is due, the scheduler starts a turn of the agent engine in the job's session and keeps
// what became of it. Jobs and runs are on the store before they are answered: a due job is started
// once, and a run that was cut off with the daemon shows as Interrupted.
//
// Nobody is asked during a run: what its policy would ask about is denied.
//
// Whoever calls has already found out who the principal is. Errors of all calls: invalid_argument
// (the text names the member), not_found (no such job of this principal), unavailable (the store).
// All times are milliseconds since the epoch.
#pragma once

#include <gantry/contracts/turn.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gantry {

enum class ScheduleKind : std::uint8_t {
  At,     // once
  Every,  // again and again after the same time
  Cron    // when the wall clock of a time zone shows what the expression says
};
BOOST_DESCRIBE_ENUM(ScheduleKind, At, Every, Cron)

/// When. Members of other kinds than `kind` are not looked at.
struct Schedule {
  ScheduleKind kind = ScheduleKind::Cron;
  std::int64_t at_ms = 0;     // At
  std::int64_t every_ms = 0;  // Every: 1000 or more
  std::int64_t start_ms = 0;  // Every: the grid begins here; 0: when the job is made
  // Cron: 5 fields (minute hour day-of-month month day-of-week) or 6 (second before them), with
  // * , - / names (JAN, MON), 7 for Sunday, L, W, #, and @hourly @daily @weekly @monthly @yearly.
  std::string expression;
  std::string time_zone;  // Cron: IANA name, "Europe/Berlin"; empty: the configured one
};
BOOST_DESCRIBE_STRUCT(Schedule, (), (kind, at_ms, every_ms, start_ms, expression, time_zone))

/// What is done about times at which the daemon was not there, or the machine slept.
enum class MissedRuns : std::uint8_t {
  Once,  // one run as soon as possible, however many were missed
  Skip   // none; an entry of the history says so
};
BOOST_DESCRIBE_ENUM(MissedRuns, Once, Skip)

/// What is done when the job is due while it is still running.
enum class OverlapPolicy : std::uint8_t {
  Skip,     // nothing; an entry of the history says so
  Queue,    // one more run, when this one has ended
  Replace,  // the running one is stopped
  Parallel  // both run, each in a session of its own
};
BOOST_DESCRIBE_ENUM(OverlapPolicy, Skip, Queue, Replace, Parallel)

/// Where the answer is to go besides the history; by `channel` whoever serves channels finds what
/// is his in ScheduleChangedEvent. With `session_key` alone the scheduler itself adds the answer to
/// that session of the job's principal and workspace.
struct ScheduleDelivery {
  std::string channel;
  std::string target;  // as the channel names it
  std::string session_key;
};
BOOST_DESCRIBE_STRUCT(ScheduleDelivery, (), (channel, target, session_key))

/// What a client says about a job.
struct ScheduleSpec {
  std::string name;  // for people, 1 to 200 characters
  std::string slug;  // ^[a-z0-9]([a-z0-9-]*[a-z0-9])?$, unique; empty: made from the name
  bool enabled = true;
  Schedule schedule;
  std::string prompt;          // what the model reads as the user's message; not empty
  std::string agent;           // the protocol's name of an agent; the scheduler only keeps it
  std::string model;           // id of the catalogue; empty: the engine's default
  std::string workspace_path;  // folder that the tools work in, as of TurnOptions
  // Key of the session; "{id}", "{slug}" and "{agent}" are replaced. Empty: "cron:{id}".
  std::string session_key;
  bool stateless = true;          // every run begins with an empty history
  bool delete_after_run = false;  // the job goes, with its history, when a run has Succeeded
  MissedRuns missed = MissedRuns::Once;
  OverlapPolicy overlap = OverlapPolicy::Skip;
  std::int64_t jitter_ms = 0;  // each run begins up to so much later, by chance; up to a day
  std::int32_t retries = 0;    // after a failure: 30 s, 1, 5, 15 min, then each hour; up to 10
  std::int64_t max_ms = 0;     // of one run; 0: the configured limit
  // Tools that run here and may be used unattended; Ask counts as Deny. Nothing: the configured
  // policy, which offers no tool that acts.
  std::optional<ToolPolicy> tools;
  std::optional<ScheduleDelivery> delivery;
  Json metadata{"{}"};  // the protocol's own, an object
};
BOOST_DESCRIBE_STRUCT(ScheduleSpec, (),
                      (name, slug, enabled, schedule, prompt, agent, model, workspace_path,
                       session_key, stateless, delete_after_run, missed, overlap, jitter_ms,
                       retries, max_ms, tools, delivery, metadata))

enum class ScheduledRunStatus : std::uint8_t {
  Running,
  Succeeded,
  Failed,       // `error` says why
  Stopped,      // by somebody, by Replace, or with its job
  Interrupted,  // the daemon ended meanwhile: what it was doing may have been done or not
  Skipped       // was not started: `error` says why
};
BOOST_DESCRIBE_ENUM(ScheduledRunStatus, Running, Succeeded, Failed, Stopped, Interrupted, Skipped)

enum class ScheduledRunTrigger : std::uint8_t { Due, Missed, Retry, Manual };
BOOST_DESCRIBE_ENUM(ScheduledRunTrigger, Due, Missed, Retry, Manual)

/// One run of a job, as the history has it.
struct ScheduledRun {
  std::string id;
  std::string job;  // id
  std::string job_name;
  ScheduledRunStatus status = ScheduledRunStatus::Running;
  ScheduledRunTrigger trigger = ScheduledRunTrigger::Due;
  std::int32_t attempt = 1;  // 2 and more: of a Retry
  std::int64_t due_ms = 0;
  std::int64_t started_ms = 0;
  std::int64_t finished_ms = 0;  // 0: not yet
  SessionKey session;
  std::string turn;
  std::string summary;  // the answer, up to 2000 characters
  std::string error;
  std::int64_t input_tokens = 0;
  std::int64_t output_tokens = 0;
};
BOOST_DESCRIBE_STRUCT(ScheduledRun, (),
                      (id, job, job_name, status, trigger, attempt, due_ms, started_ms, finished_ms,
                       session, turn, summary, error, input_tokens, output_tokens))

struct ScheduleState {
  std::optional<std::int64_t> next_run_ms;  // nothing: it will not run by itself
  std::optional<std::int64_t> last_run_ms;
  std::optional<ScheduledRunStatus> last_status;  // Running: it runs at present
  std::string last_error;
  std::int32_t consecutive_errors = 0;
  std::int32_t running = 0;  // runs that have not ended
  std::int64_t runs = 0;     // of the history, all of them
};
BOOST_DESCRIBE_STRUCT(ScheduleState, (),
                      (next_run_ms, last_run_ms, last_status, last_error, consecutive_errors,
                       running, runs))

struct ScheduleJob {
  std::string id;  // "job-" and 32 hexadecimal digits
  std::string principal;
  std::string workspace;  // as of the session
  ScheduleSpec spec;
  std::int64_t created_ms = 0;
  std::int64_t updated_ms = 0;
  ScheduleState state;
};
BOOST_DESCRIBE_STRUCT(ScheduleJob, (),
                      (id, principal, workspace, spec, created_ms, updated_ms, state))

struct ScheduleCreateRequest {
  std::string principal;  // not empty
  std::string workspace;
  ScheduleSpec spec;
};
BOOST_DESCRIBE_STRUCT(ScheduleCreateRequest, (), (principal, workspace, spec))

/// A schedule that never comes (a bad expression, an unknown zone, a time that has gone by) is
/// refused. Errors besides: already_exists (the slug, of another job of this principal),
/// resource_exhausted (the principal has as many jobs as it may).
struct ScheduleCreate {
  static constexpr std::string_view kName = "gantry.schedule.create/1";
  static constexpr std::string_view kDoc = "Makes a scheduled job.";
  using Request = ScheduleCreateRequest;
  using Response = ScheduleJob;
};

/// What is given replaces what the job has.
struct SchedulePatch {
  std::optional<std::string> name;
  std::optional<std::string> slug;
  std::optional<bool> enabled;
  std::optional<Schedule> schedule;
  std::optional<std::string> prompt;
  std::optional<std::string> agent;
  std::optional<std::string> model;
  std::optional<std::string> workspace_path;
  std::optional<std::string> session_key;
  std::optional<std::string> workspace;
  std::optional<bool> stateless;
  std::optional<bool> delete_after_run;
  std::optional<MissedRuns> missed;
  std::optional<OverlapPolicy> overlap;
  std::optional<std::int64_t> jitter_ms;
  std::optional<std::int32_t> retries;
  std::optional<std::int64_t> max_ms;
  std::optional<ToolPolicy> tools;
  std::optional<ScheduleDelivery> delivery;  // with nothing in it: none
  std::optional<Json> metadata;
};
BOOST_DESCRIBE_STRUCT(SchedulePatch, (),
                      (name, slug, enabled, schedule, prompt, agent, model, workspace_path,
                       session_key, workspace, stateless, delete_after_run, missed, overlap,
                       jitter_ms, retries, max_ms, tools, delivery, metadata))

/// Names a job. An administrator's protocol leaves `principal` empty: then the job may be anyone's.
struct ScheduleJobRequest {
  std::string principal;
  std::string job;  // id, or slug of one of the principal's jobs
};
BOOST_DESCRIBE_STRUCT(ScheduleJobRequest, (), (principal, job))

struct ScheduleUpdateRequest {
  std::string principal;
  std::string job;
  SchedulePatch patch;
};
BOOST_DESCRIBE_STRUCT(ScheduleUpdateRequest, (), (principal, job, patch))

/// Errors besides: already_exists (the slug). Nothing has changed then.
struct ScheduleUpdate {
  static constexpr std::string_view kName = "gantry.schedule.update/1";
  static constexpr std::string_view kDoc = "Changes a scheduled job.";
  using Request = ScheduleUpdateRequest;
  using Response = ScheduleJob;
};

/// Stops its runs and forgets its history.
struct ScheduleDelete {
  static constexpr std::string_view kName = "gantry.schedule.delete/1";
  static constexpr std::string_view kDoc = "Deletes a scheduled job.";
  using Request = ScheduleJobRequest;
  using Response = Done;
};

struct ScheduleGet {
  static constexpr std::string_view kName = "gantry.schedule.get/1";
  static constexpr std::string_view kDoc = "Reads a scheduled job.";
  using Request = ScheduleJobRequest;
  using Response = ScheduleJob;
};

struct ScheduleListRequest {
  std::string principal;                 // empty: everybody's
  std::optional<std::string> workspace;  // only of this one
  bool include_disabled = true;
  std::int32_t limit = 200;  // 1 to 1000
  std::int64_t offset = 0;
};
BOOST_DESCRIBE_STRUCT(ScheduleListRequest, (),
                      (principal, workspace, include_disabled, limit, offset))

struct ScheduleJobList {
  std::vector<ScheduleJob> jobs;  // in the order in which they were made
  std::int64_t total = 0;
};
BOOST_DESCRIBE_STRUCT(ScheduleJobList, (), (jobs, total))

struct ScheduleList {
  static constexpr std::string_view kName = "gantry.schedule.list/1";
  static constexpr std::string_view kDoc = "Lists scheduled jobs.";
  using Request = ScheduleListRequest;
  using Response = ScheduleJobList;
};

struct ScheduleRunRequest {
  std::string principal;
  std::string job;
  bool only_if_due = false;  // otherwise now, also when the job is disabled
  bool wait = false;         // answer when the run has ended
};
BOOST_DESCRIBE_STRUCT(ScheduleRunRequest, (), (principal, job, only_if_due, wait))

struct ScheduleRan {
  bool ran = false;                 // false: it was not due
  std::optional<ScheduledRun> run;  // as it is now
};
BOOST_DESCRIBE_STRUCT(ScheduleRan, (), (ran, run))

/// The next run of the schedule stays where it is. Errors besides: failed_precondition (it is
/// running, and does not run in Parallel).
struct ScheduleRun {
  static constexpr std::string_view kName = "gantry.schedule.run/1";
  static constexpr std::string_view kDoc = "Runs a scheduled job now.";
  using Request = ScheduleRunRequest;
  using Response = ScheduleRan;
};

struct ScheduleRunsRequest {
  std::string principal;
  std::string job;          // empty: of all jobs of the principal
  std::int32_t limit = 20;  // 1 to 1000
  std::int64_t offset = 0;
};
BOOST_DESCRIBE_STRUCT(ScheduleRunsRequest, (), (principal, job, limit, offset))

struct ScheduledRunList {
  std::vector<ScheduledRun> runs;  // the latest first
  std::int64_t total = 0;
};
BOOST_DESCRIBE_STRUCT(ScheduledRunList, (), (runs, total))

struct ScheduleRuns {
  static constexpr std::string_view kName = "gantry.schedule.runs/1";
  static constexpr std::string_view kDoc = "The history of a scheduled job.";
  using Request = ScheduleRunsRequest;
  using Response = ScheduledRunList;
};

struct SchedulePreviewRequest {
  Schedule schedule;
  std::int32_t count = 5;                // 1 to 100
  std::optional<std::int64_t> after_ms;  // nothing: now
};
BOOST_DESCRIBE_STRUCT(SchedulePreviewRequest, (), (schedule, count, after_ms))

struct SchedulePreviewed {
  std::vector<std::int64_t> times_ms;  // fewer when there are no more; without jitter
  std::string time_zone;               // that was used
};
BOOST_DESCRIBE_STRUCT(SchedulePreviewed, (), (times_ms, time_zone))

/// Errors: invalid_argument, as of creating a job.
struct SchedulePreview {
  static constexpr std::string_view kName = "gantry.schedule.preview/1";
  static constexpr std::string_view kDoc = "When a schedule would run.";
  using Request = SchedulePreviewRequest;
  using Response = SchedulePreviewed;
};

struct ScheduleStatusRequest {
  std::string principal;  // whose jobs are counted; empty: everybody's
};
BOOST_DESCRIBE_STRUCT(ScheduleStatusRequest, (), (principal))

struct SchedulerStatus {
  bool enabled = true;  // false: the configuration has switched due jobs off
  std::int64_t jobs = 0;
  std::int64_t enabled_jobs = 0;
  std::int64_t running = 0;
  std::optional<std::int64_t> next_run_ms;
  std::string time_zone;  // of schedules that name none
};
BOOST_DESCRIBE_STRUCT(SchedulerStatus, (),
                      (enabled, jobs, enabled_jobs, running, next_run_ms, time_zone))

struct ScheduleStatus {
  static constexpr std::string_view kName = "gantry.schedule.status/1";
  static constexpr std::string_view kDoc = "What the scheduler is doing.";
  using Request = ScheduleStatusRequest;
  using Response = SchedulerStatus;
};

enum class ScheduleChange : std::uint8_t {
  Created,
  Updated,
  Deleted,
  RunStarted,
  RunFinished  // also of a run that was skipped
};
BOOST_DESCRIBE_ENUM(ScheduleChange, Created, Updated, Deleted, RunStarted, RunFinished)

/// For the job's principal and for administrators, nobody else.
struct ScheduleChangedEvent {
  ScheduleChange change = ScheduleChange::Updated;
  ScheduleJob job;                  // as it is now; of Deleted as it was
  std::optional<ScheduledRun> run;  // of RunStarted and RunFinished
};
BOOST_DESCRIBE_STRUCT(ScheduleChangedEvent, (), (change, job, run))

struct ScheduleChanged {
  static constexpr std::string_view kName = "gantry.schedule.changed/1";
  static constexpr std::string_view kDoc = "A scheduled job was changed, started or ended.";
  using Event = ScheduleChangedEvent;
};

}  // namespace gantry
