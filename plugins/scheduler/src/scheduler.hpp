// SPDX-License-Identifier: Apache-2.0
//
// Starts what is due and keeps what became of it. Strand only.
//
// A run is on the store, and its job is due at a later time, before the engine hears of it: a
// daemon that ends in between has started nothing, and one that ends later starts nothing twice.
// What was open when it ended shows as Interrupted.
#pragma once

#include <gantry/host.hpp>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "engine_run.hpp"
#include "jobs.hpp"
#include "settings.hpp"
#include "timing.hpp"

namespace gantry::scheduler {

class Scheduler {
 public:
  using RunThen = std::function<void(const Result<ScheduledRun>&)>;

  Scheduler(Host& host, Jobs& jobs);

  void set_settings(Settings settings);
  [[nodiscard]] const Settings& settings() const { return settings_; }
  /// Reads the jobs, settles what an earlier life of the daemon has left, and begins.
  void start();

  /// Begins a run by hand. `begun` gets it when it is on the store, or why it is not; `ended`, when
  /// there is one, how it ended.
  void run_now(Record& record, RunThen begun, RunThen ended);
  /// Stops what the job has running.
  void stop_runs(const std::string& job, const std::string& reason);
  /// Looks for what is due, and sets the timer for what will be.
  void look();
  /// When the schedule of a job comes true next, from now on; sets it, with its jitter.
  Result<void> plan(Record& record) const;

  /// Jobs::write(); when the store refuses, nothing is started for a while.
  void write(StoreWriteRequest change, Jobs::Then then);
  [[nodiscard]] std::int64_t now_ms() const;
  [[nodiscard]] std::int64_t running() const { return static_cast<std::int64_t>(runs_.size()); }
  void tell(ScheduleChange change, const ScheduleJob& job,
            const std::optional<ScheduledRun>& run = std::nullopt);

 private:
  struct Running {
    ScheduledRun run;
    std::shared_ptr<EngineRun>
        engine;           // empty: not on the store yet, or its workspace is asked for
    std::string stopped;  // why, before the engine was asked
    std::vector<RunThen> ended;
  };

  void settle();
  void settle(const Record& record);
  /// Whether it has runs of an earlier life that are not settled yet.
  [[nodiscard]] bool has_lost(const Record& record) const;
  void pause();
  void arm();
  bool due_now(Record& record, std::int64_t now);
  void fire(Record& record, std::int64_t now);
  void begin(Record& record, ScheduledRunTrigger trigger, std::int64_t due_ms, std::int32_t attempt,
             RunThen begun = nullptr, RunThen ended = nullptr);
  /// Asks what the job's workspace says, as it is now.
  void launch(const std::string& id);
  void hand_over(const std::string& id, TurnStartRequest turn);
  void skip(Record& record, std::int64_t due_ms, ScheduledRunTrigger trigger,
            const std::string& why);
  void ended(const std::string& id, const RunOutcome& outcome);
  void deliver(const ScheduleJob& job, const ScheduledRun& run, const std::string& text);
  [[nodiscard]] ScheduledRun new_run(Record& record, ScheduledRunTrigger trigger,
                                     std::int64_t due_ms) const;
  [[nodiscard]] bool full() const {
    return runs_.size() >= static_cast<std::size_t>(settings_.max_running);
  }

  Host& host_;
  Jobs& jobs_;
  Settings settings_;
  std::map<std::string, Running> runs_;  // by id
  std::set<std::string> waiting_;        // jobs that are due and wait for room: not missed
  Timer timer_;
  bool looking_ = false;
  bool paused_ = false;
  Metric started_;
  Metric failed_;
};

}  // namespace gantry::scheduler
