// SPDX-License-Identifier: Apache-2.0
// The kernel's own thread: life-cycle work runs here one after another, in the order it was posted.
//
// Thread rules: post(), post_after(), stop() and wake() from any thread, wake() also from a signal
// handler; run() on one thread.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <mutex>
#include <vector>

namespace gantry::service {

class TaskLoop {
 public:
  using Task = std::function<void()>;
  using Clock = std::chrono::steady_clock;

  TaskLoop();
  ~TaskLoop();
  TaskLoop(const TaskLoop&) = delete;
  TaskLoop& operator=(const TaskLoop&) = delete;

  void post(Task task);
  void post_after(std::chrono::milliseconds delay, Task task);

  /// Runs tasks until stop(). `on_wake` is called after every wake(), and at least once.
  void run(const std::function<void()>& on_wake = {});
  /// Runs what is due now, without waiting.
  void run_pending();
  void stop();
  /// Drops what waits and whatever is posted from now on: tasks hold things that must go before
  /// what they belong to.
  void close();
  /// Async-signal-safe.
  void wake();

 private:
  std::vector<Task> take_due();
  int wait_ms();

  std::mutex mutex_;
  std::vector<Task> ready_;
  std::multimap<Clock::time_point, Task> delayed_;
  bool stopped_ = false;
  bool closed_ = false;
  int event_fd_ = -1;
};

}  // namespace gantry::service
