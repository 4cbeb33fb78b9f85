// SPDX-License-Identifier: Apache-2.0
//
// One run of a job on the agent engine: its session, its turn, and how that ended. Strand only.
#pragma once

#include <gantry/contracts/schedule.hpp>
#include <gantry/host.hpp>

#include <functional>
#include <memory>
#include <string>

namespace gantry::scheduler {

/// How a turn ended.
struct RunOutcome {
  ScheduledRunStatus status = ScheduledRunStatus::Failed;
  std::string text;  // the whole answer
  std::string error;
  std::int64_t input_tokens = 0;
  std::int64_t output_tokens = 0;
};

class EngineRun : public std::enable_shared_from_this<EngineRun> {
 public:
  using Done = std::function<void(const RunOutcome&)>;

  EngineRun(Host& host, TurnStartRequest turn, Done done)
      : host_(host), turn_(std::move(turn)), done_(std::move(done)) {}
  EngineRun(const EngineRun&) = delete;
  EngineRun& operator=(const EngineRun&) = delete;

  /// Opens the session (with `title` when it is new), empties it when the job is `stateless`, and
  /// starts the turn. `done` is called once; not when this object goes first.
  void start(const std::string& title, bool stateless);
  /// Asks the engine to end the turn; `done` follows.
  void stop(const std::string& reason);

 private:
  void empty();
  void begin();
  void watch(std::uint64_t after);
  void take(const SessionEvent& event);
  void fail(const Error& error);
  void finish(const RunOutcome& outcome);

  Host& host_;
  TurnStartRequest turn_;
  Done done_;
  Stream<Nothing> watch_;
  std::string error_;
  bool stopped_ = false;
};

}  // namespace gantry::scheduler
