// SPDX-License-Identifier: Apache-2.0
// Short pieces of life-cycle work that are also done while the kernel's thread waits for a plugin:
// what an errand does must not wait itself.
//
// Thread rules: post() from any thread; everything else on the kernel's thread.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "service/task_loop.hpp"

namespace gantry::service {

class Errands : public std::enable_shared_from_this<Errands> {
 public:
  using Clock = std::chrono::steady_clock;

  explicit Errands(TaskLoop& loop) : loop_(&loop) {}

  void post(TaskLoop::Task errand);
  /// Does errands until `over` holds after one of them; false when that takes too long.
  bool run_until(Clock::time_point deadline, const std::function<bool()>& over);
  /// From here on the loop, which may go away now, is not used, and nothing is done.
  void close();

 private:
  void run_due();

  std::mutex mutex_;
  std::condition_variable came_;
  std::vector<TaskLoop::Task> due_;
  TaskLoop* loop_;  // nullptr: closed
};

}  // namespace gantry::service
