// SPDX-License-Identifier: Apache-2.0
#pragma once
// The thread that starts commands, reads what they write and sees them end. One for all commands: a
// command that runs for hours holds no thread of the pool, and the thread that started a sandbox
// must outlive it (see spawn()).
//
// When a command has ended, so has everything that it started: in a sandbox the whole process
// namespace, else its process group.

#include <gantry/result.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "output_log.hpp"
#include "spawn.hpp"

namespace gantry::shell {

/// How a command ended.
struct Exit {
  int code = 0;    // of the program, when `signal` is 0
  int signal = 0;  // that ended it; in a sandbox its shell's 128 + n is told as code
};

/// What the loop and others share of one command. All members are safe on any thread.
class Process {
 public:
  explicit Process(std::size_t output_limit) : log_(output_limit), unread_(output_limit) {}

  [[nodiscard]] OutputText text() const;
  /// What has come since the last time.
  OutputText take();
  [[nodiscard]] std::uint64_t total() const;
  /// Whether it is known to run: a sandbox that cannot be made ends before.
  [[nodiscard]] bool has_begun() const;
  /// Whether take() would have something.
  [[nodiscard]] bool has_new() const;
  /// Empty while it runs. An error: it never ran (unavailable: the sandbox could not be made).
  [[nodiscard]] std::optional<Result<Exit>> end() const;

 private:
  friend class ProcessLoop;
  void append(std::string_view bytes);
  void begin();
  void finish(Result<Exit> end);

  mutable std::mutex mutex_;
  OutputLog log_;
  OutputLog unread_;
  std::uint64_t taken_ = 0;  // total() of unread_ at the last take()
  bool begun_ = false;
  std::optional<Result<Exit>> end_;
};

class ProcessLoop {
 public:
  using Id = std::uint64_t;
  ProcessLoop();
  ~ProcessLoop();  // stop() without grace
  ProcessLoop(const ProcessLoop&) = delete;
  ProcessLoop& operator=(const ProcessLoop&) = delete;

  /// Any thread; at once. `ended` runs on the loop's thread, once, after process->end() is there;
  /// never when the loop is stopped before.
  Id start(SpawnPlan plan, std::shared_ptr<Process> process, std::function<void()> ended);
  /// Any thread. Bytes for standard input, and with `last` its end. `done` runs on the loop's
  /// thread, with resource_exhausted when more than kInputLimit bytes wait to be read, and
  /// failed_precondition when there is no such command or its input is closed.
  void write(Id id, std::string bytes, bool last, std::function<void(Result<void>)> done);
  /// Any thread. To the command's process group (SIGTERM, SIGINT), or, with SIGKILL, to everything.
  void signal(Id id, int number);
  /// Ends everything: SIGTERM, and after `grace` SIGKILL; returns when nothing is left.
  void stop(std::chrono::milliseconds grace);

  static constexpr std::size_t kInputLimit = 1U << 20U;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace gantry::shell
