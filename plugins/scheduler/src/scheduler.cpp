// SPDX-License-Identifier: Apache-2.0
#include "scheduler.hpp"

#include <gantry/contract.hpp>
#include <gantry/workspace_defaults.hpp>

#include <algorithm>
#include <chrono>
#include <random>
#include <tuple>
#include <utility>

#include "rules.hpp"

namespace gantry::scheduler {
namespace {

constexpr std::int64_t kNsInMs = 1'000'000;
constexpr std::int64_t kLongestSleepMs = 30'000;  // the wall clock may be set meanwhile
constexpr std::size_t kMaxSummary = 2000;

/// The beginning of a text, cut between characters.
std::string beginning(const std::string& text) {
  if (text.size() <= kMaxSummary) return text;
  std::size_t end = kMaxSummary;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return text.substr(0, end);
}

std::int64_t random_up_to(std::int64_t most) {
  if (most <= 0) return 0;
  std::random_device source;
  return std::uniform_int_distribution<std::int64_t>(0, most)(source);
}

std::int64_t number_of(const ScheduledRun& run) {
  return std::stoll(run.id.substr(run.id.rfind('/') + 1));  // run_id() has made it
}

}  // namespace

Scheduler::Scheduler(Host& host, Jobs& jobs) : host_(host), jobs_(jobs) {
  jobs_.on_loaded([this] {
    settle();
    look();
  });
  started_ = host.counter("runs_started_total", "Runs that were handed to the agent engine.");
  failed_ = host.counter("runs_failed_total", "Runs that ended as failed.");
}

void Scheduler::set_settings(Settings settings) {
  settings_ = std::move(settings);
  if (jobs_.loaded()) look();
}

void Scheduler::start() {
  jobs_.when_loaded([this](const Result<void>& loaded) {
    if (loaded.ok()) {
      host_.healthy("jobs");
      settle();
      return look();
    }
    host_.degraded("jobs", loaded.error().message, "see the health of the plugin store");
    pause();
  });
}

/// The store does not take anything at present: nothing is started until it is tried again.
void Scheduler::pause() {
  paused_ = true;
  timer_ = host_.after(std::chrono::milliseconds(kLongestSleepMs), [this] {
    paused_ = false;
    start();
  });
}

void Scheduler::write(StoreWriteRequest change, Jobs::Then then) {
  jobs_.write(std::move(change), [this, then = std::move(then)](const Result<void>& written) {
    if (!written.ok()) pause();
    then(written);
  });
}

std::int64_t Scheduler::now_ms() const { return host_.wall_ns() / kNsInMs; }

Result<void> Scheduler::plan(Record& record) const {
  const ScheduleSpec& spec = record.job.spec;
  GANTRY_ASSIGN(const Timing timing,
                Timing::of(spec.schedule, settings_.time_zone, record.job.created_ms));
  record.due_ms = timing.next(now_ms());
  record.jitter_ms = random_up_to(spec.jitter_ms);
  return {};
}

// ---- what an earlier life has left --------------------------------------------------------------

void Scheduler::settle() {
  for (auto& [id, record] : jobs_.all()) {
    if (has_lost(record)) settle(record);
  }
}

bool Scheduler::has_lost(const Record& record) const {
  return std::any_of(record.open.begin(), record.open.end(),
                     [&](std::int64_t run) { return !runs_.contains(run_id(record.job.id, run)); });
}

void Scheduler::settle(const Record& record) {
  StoreGetRequest request{kRuns, {}};
  for (const std::int64_t run : record.open) {
    if (!runs_.contains(run_id(record.job.id, run))) {
      request.keys.push_back(run_key(record.job.id, run));
    }
  }
  host_.bus().call<StoreGet>(
      std::move(request), [this, job = record.job.id](const Result<Ref<StoreDocuments>>& found) {
        Record* const current = jobs_.by_id(job);
        if (!found.ok()) return pause();
        if (current == nullptr || !has_lost(*current)) return;  // deleted, or settled already
        std::erase_if(current->open,
                      [&](std::int64_t run) { return !runs_.contains(run_id(job, run)); });
        StoreWriteRequest change;
        for (const StoredDocument& document : (*found)->documents) {
          Result<ScheduledRun> run = from_json<ScheduledRun>(document.body.text);
          if (!run.ok() || runs_.contains(run->id)) continue;
          run->status = ScheduledRunStatus::Interrupted;
          run->error = "the daemon ended during the run; it is not run again by itself";
          run->finished_ms = now_ms();
          take_result(*current, *run);
          Jobs::put_run(change, *run, number_of(*run));
          // The turn may have outlived this plugin: nobody would know how it ends.
          TurnStopRequest stop;
          stop.principal = run->session.principal;
          stop.session = run->session;
          stop.turn = run->turn;
          stop.reason = "the scheduler was started again";
          host_.bus().call<TurnStop>(std::move(stop), [](const Result<Ref<StoppedTurns>>&) {});
          tell(ScheduleChange::RunFinished, job_of(*current), *run);
        }
        Jobs::put(change, *current);
        write(std::move(change), [this](const Result<void>& written) {
          if (written.ok()) look();
        });
      });
}

// ---- what is due --------------------------------------------------------------------------------

void Scheduler::look() {
  if (!jobs_.loaded() || paused_ || std::exchange(looking_, true)) return;
  const std::int64_t now = now_ms();
  // Of jobs that are due at one time the older one comes first.
  std::vector<std::tuple<std::int64_t, std::int64_t, std::string>> due;
  for (auto& [id, record] : jobs_.all()) {
    // With a run of an earlier life it waits until that has been settled, which looks again.
    if (due_now(record, now) && !has_lost(record))
      due.emplace_back(*begins_ms(record), record.order, id);
  }
  std::sort(due.begin(), due.end());
  for (const auto& [at, order, id] : due) {
    Record* const record = jobs_.by_id(id);
    if (record == nullptr) continue;
    const bool waits = full() && record->open.empty();
    if (waits) {
      waiting_.insert(id);
    } else {
      fire(*record, now);
      waiting_.erase(id);
    }
  }
  for (auto& [id, record] : jobs_.all()) {
    if (!record.queued || !record.open.empty() || full()) continue;
    const std::int64_t at = *std::exchange(record.queued, std::nullopt);
    begin(record, record.queued_trigger, at, 1);
  }
  looking_ = false;
  arm();
}

bool Scheduler::due_now(Record& record, std::int64_t now) {
  const std::optional<std::int64_t> at = begins_ms(record);
  return settings_.enabled && at && *at <= now;
}

void Scheduler::arm() {
  timer_.cancel();
  if (!settings_.enabled) return;
  std::optional<std::int64_t> next;
  for (const auto& [id, record] : jobs_.all()) {
    const std::optional<std::int64_t> at = begins_ms(record);
    if (at && !waiting_.contains(id) && !has_lost(record) && (!next || *at < *next)) next = at;
  }
  if (!next) return;
  const std::int64_t sleep = std::clamp<std::int64_t>(*next - now_ms(), 1, kLongestSleepMs);
  timer_ = host_.after(std::chrono::milliseconds(sleep), [this] { look(); });
}

void Scheduler::fire(Record& record, std::int64_t now) {
  const bool retry = record.retry_ms && *record.retry_ms <= now &&
                     (!record.due_ms || *record.due_ms + record.jitter_ms > now);
  const std::optional<std::int64_t> retry_at = std::exchange(record.retry_ms, std::nullopt);
  if (retry) {
    if (!record.open.empty()) return;  // somebody runs it by hand
    return begin(record, ScheduledRunTrigger::Retry, *retry_at, record.attempt);
  }
  if (!record.due_ms) return;
  const std::int64_t due = *record.due_ms;
  const bool missed =
      now - due - record.jitter_ms > settings_.missed_after && !waiting_.contains(record.job.id);
  const auto trigger = missed ? ScheduledRunTrigger::Missed : ScheduledRunTrigger::Due;
  const Result<void> planned = plan(record);
  if (!planned.ok()) {  // its time zone has gone from the system
    record.due_ms.reset();
    return skip(record, due, trigger, planned.error().message);
  }
  const OverlapPolicy overlap = record.job.spec.overlap;
  if (missed && record.job.spec.missed == MissedRuns::Skip) {
    return skip(record, due, trigger, "the daemon was not running when it was due");
  }
  if (record.open.empty() || overlap == OverlapPolicy::Parallel) {
    return begin(record, trigger, due, 1);
  }
  if (overlap == OverlapPolicy::Skip || record.queued) {
    return skip(record, due, trigger, "the run before had not ended");
  }
  record.queued = due;
  record.queued_trigger = trigger;
  StoreWriteRequest change;
  Jobs::put(change, record);
  write(std::move(change), [](const Result<void>&) {});
  if (overlap == OverlapPolicy::Replace) stop_runs(record.job.id, "the next run was due");
}

// ---- runs ---------------------------------------------------------------------------------------

ScheduledRun Scheduler::new_run(Record& record, ScheduledRunTrigger trigger,
                                std::int64_t due_ms) const {
  const std::int64_t number = ++record.last_run;
  ScheduledRun run;
  run.id = run_id(record.job.id, number);
  run.job = record.job.id;
  run.job_name = record.job.spec.name;
  run.trigger = trigger;
  run.due_ms = due_ms;
  run.started_ms = now_ms();
  return run;
}

void Scheduler::skip(Record& record, std::int64_t due_ms, ScheduledRunTrigger trigger,
                     const std::string& why) {
  ScheduledRun run = new_run(record, trigger, due_ms);
  run.status = ScheduledRunStatus::Skipped;
  run.finished_ms = run.started_ms;
  run.error = why;
  StoreWriteRequest change;
  Jobs::put_run(change, run, record.last_run);
  Jobs::trim(change, record, settings_.history);
  Jobs::put(change, record);
  write(std::move(change), [this, run, job = job_of(record)](const Result<void>& written) {
    if (written.ok()) tell(ScheduleChange::RunFinished, job, run);
  });
}

void Scheduler::run_now(Record& record, RunThen begun, RunThen ended) {
  if (!record.open.empty() && record.job.spec.overlap != OverlapPolicy::Parallel) {
    return begun(
        failed_precondition("the job is running; wait until it has ended, or let it run "
                            "in parallel"));
  }
  begin(record, ScheduledRunTrigger::Manual, now_ms(), 1, std::move(begun), std::move(ended));
}

void Scheduler::begin(Record& record, ScheduledRunTrigger trigger, std::int64_t due_ms,
                      std::int32_t attempt, RunThen begun, RunThen ended) {
  ScheduledRun run = new_run(record, trigger, due_ms);
  run.attempt = attempt;
  run.session = {record.job.principal, record.job.workspace,
                 session_key(record.job, record.last_run)};
  run.turn = "run-" + std::to_string(record.last_run) + "-" + record.job.id;
  record.open.push_back(record.last_run);
  record.job.state.last_status = ScheduledRunStatus::Running;
  record.job.state.last_run_ms = run.started_ms;
  StoreWriteRequest change;
  Jobs::put_run(change, run, record.last_run);
  Jobs::trim(change, record, settings_.history);
  Jobs::put(change, record);
  Running& running = runs_[run.id];
  running.run = run;
  if (ended) running.ended.push_back(std::move(ended));
  write(std::move(change), [this, run, begun = std::move(begun)](const Result<void>& done) {
    if (!done.ok()) {
      runs_.erase(run.id);
      if (begun) begun(done.error());
      return;
    }
    if (begun) begun(run);
    launch(run.id);
  });
}

void Scheduler::launch(const std::string& id) {
  Running& running = runs_.at(id);
  const Record* const record = jobs_.by_id(running.run.job);
  if (record == nullptr) {
    return ended(id, {ScheduledRunStatus::Stopped, {}, "the job was deleted", 0, 0});
  }
  const ScheduleSpec& spec = record->job.spec;
  TurnStartRequest turn;
  turn.session = running.run.session;
  turn.turn = running.run.turn;
  turn.text = spec.prompt;
  turn.caller = "scheduler:" + spec.slug;
  turn.options.model = spec.model;
  turn.options.tools = unattended_policy(spec, settings_);
  turn.options.workspace_path = spec.workspace_path;
  turn.options.linger_ms = -1;  // nobody watches but this plugin
  turn.options.max_ms = spec.max_ms != 0 ? spec.max_ms : settings_.run_limit;
  if (turn.session.workspace.empty()) return hand_over(id, std::move(turn));
  WorkspaceRef where{turn.session.principal, turn.session.workspace, true};
  auto kept = std::make_shared<TurnStartRequest>(std::move(turn));
  host_.bus().call<WorkspaceGet>(
      std::move(where), [this, id, kept](const Result<Ref<Workspace>>& workspace) {
        if (!workspace.ok() && !is_no_workspace(workspace.error())) {
          return ended(id, {ScheduledRunStatus::Failed,
                            {},
                            "the job's workspace: " + workspace.error().message,
                            0,
                            0});
        }
        if (workspace.ok()) apply_workspace(**workspace, kept->options);
        make_unattended(kept->options.tools);
        hand_over(id, std::move(*kept));
      });
}

void Scheduler::hand_over(const std::string& id, TurnStartRequest turn) {
  const auto found = runs_.find(id);
  if (found == runs_.end()) return;
  Running& running = found->second;
  const Record* const record = jobs_.by_id(running.run.job);
  if (record == nullptr) {
    return ended(id, {ScheduledRunStatus::Stopped, {}, "the job was deleted", 0, 0});
  }
  if (!running.stopped.empty()) {
    return ended(id, {ScheduledRunStatus::Stopped, {}, "stopped before it began", 0, 0});
  }
  const ScheduleSpec& spec = record->job.spec;
  running.engine = std::make_shared<EngineRun>(
      host_, std::move(turn), [this, id](const RunOutcome& outcome) { ended(id, outcome); });
  started_.add();
  tell(ScheduleChange::RunStarted, job_of(*record), running.run);
  const std::shared_ptr<EngineRun> engine = running.engine;  // it may end at once
  engine->start(spec.name, spec.stateless && spec.overlap != OverlapPolicy::Parallel);
}

void Scheduler::stop_runs(const std::string& job, const std::string& reason) {
  for (auto& [id, running] : runs_) {
    if (running.run.job != job) continue;
    if (running.engine) {
      running.engine->stop(reason);
    } else {
      running.stopped = reason;
    }
  }
}

void Scheduler::ended(const std::string& id, const RunOutcome& outcome) {
  auto node = runs_.extract(id);
  if (node.empty()) return;
  Running running = std::move(node.mapped());
  ScheduledRun& run = running.run;
  run.status = outcome.status;
  run.error = outcome.error;
  run.summary = beginning(outcome.text);
  run.input_tokens = outcome.input_tokens;
  run.output_tokens = outcome.output_tokens;
  run.finished_ms = now_ms();
  if (run.status == ScheduledRunStatus::Failed) failed_.add();
  for (const RunThen& then : running.ended) then(run);
  Record* const record = jobs_.by_id(run.job);
  if (record == nullptr) return look();  // deleted meanwhile
  const std::int64_t number = number_of(run);
  std::erase(record->open, number);
  take_result(*record, run);
  StoreWriteRequest change;
  const ScheduleJob job = job_of(*record);
  const bool gone = job.spec.delete_after_run && run.status == ScheduledRunStatus::Succeeded;
  if (gone) {
    Jobs::remove(change, *record);
    jobs_.erase(job.id);
  } else {
    Jobs::put_run(change, run, number);
    Jobs::put(change, *record);
  }
  write(std::move(change), [this, run, job, gone](const Result<void>& written) {
    if (!written.ok()) return;
    tell(ScheduleChange::RunFinished, job, run);
    if (gone) tell(ScheduleChange::Deleted, job);
    look();
  });
  if (run.status == ScheduledRunStatus::Succeeded) deliver(job, run, outcome.text);
  look();
}

/// Channels find what is theirs in the event; a session is the scheduler's own matter.
void Scheduler::deliver(const ScheduleJob& job, const ScheduledRun& run, const std::string& text) {
  const std::optional<ScheduleDelivery>& to = job.spec.delivery;
  if (!to || !to->channel.empty() || to->session_key.empty() || text.empty()) return;
  SessionAppendRequest request;
  request.session = {job.principal, job.workspace, to->session_key};
  request.row.role = RowRole::Assistant;
  request.row.type = RowType::AssistantResponse;
  request.row.text = text;
  request.row.turn = run.turn;
  host_.bus().call<SessionAppend>(
      std::move(request), [this, id = run.id](const Result<Ref<SessionInfo>>& done) {
        if (done.ok()) return;
        host_.log().warn("the answer of a run could not be delivered",
                         {{"run", id}, {"reason", done.error().message}});
      });
}

void Scheduler::tell(ScheduleChange change, const ScheduleJob& job,
                     const std::optional<ScheduledRun>& run) {
  host_.bus().publish<ScheduleChanged>({change, job, run});
}

}  // namespace gantry::scheduler
