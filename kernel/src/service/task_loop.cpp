// SPDX-License-Identifier: Apache-2.0
#include "service/task_loop.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <utility>

namespace gantry::service {

TaskLoop::TaskLoop() : event_fd_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (event_fd_ < 0) std::abort();  // without a descriptor there is no daemon to report it
}

TaskLoop::~TaskLoop() { ::close(event_fd_); }

void TaskLoop::wake() {
  const int saved = errno;
  const std::uint64_t one = 1;
  // A full counter means that a wake is pending already.
  [[maybe_unused]] const auto written = write(event_fd_, &one, sizeof one);
  errno = saved;
}

void TaskLoop::post(Task task) {
  {
    const std::lock_guard lock(mutex_);
    if (closed_) return;
    ready_.push_back(std::move(task));
  }
  wake();
}

void TaskLoop::post_after(std::chrono::milliseconds delay, Task task) {
  {
    const std::lock_guard lock(mutex_);
    if (closed_) return;
    delayed_.emplace(Clock::now() + delay, std::move(task));
  }
  wake();
}

void TaskLoop::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  wake();
}

void TaskLoop::close() {
  std::vector<Task> ready;
  std::multimap<Clock::time_point, Task> delayed;
  const std::lock_guard lock(mutex_);
  closed_ = true;
  ready.swap(ready_);
  delayed.swap(delayed_);
}

std::vector<TaskLoop::Task> TaskLoop::take_due() {
  const std::lock_guard lock(mutex_);
  std::vector<Task> due = std::exchange(ready_, {});
  const auto end = delayed_.upper_bound(Clock::now());
  for (auto at = delayed_.begin(); at != end; ++at) due.push_back(std::move(at->second));
  delayed_.erase(delayed_.begin(), end);
  return due;
}

int TaskLoop::wait_ms() {
  const std::lock_guard lock(mutex_);
  if (stopped_ || !ready_.empty()) return 0;
  if (delayed_.empty()) return -1;
  const auto left =
      std::chrono::ceil<std::chrono::milliseconds>(delayed_.begin()->first - Clock::now());
  return static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 60'000));
}

void TaskLoop::run_pending() {
  for (const auto& task : take_due()) task();
}

void TaskLoop::run(const std::function<void()>& on_wake) {
  while (true) {
    run_pending();
    if (on_wake) on_wake();
    {
      const std::lock_guard lock(mutex_);
      if (std::exchange(stopped_, false)) return;
    }
    pollfd waiting{event_fd_, POLLIN, 0};
    poll(&waiting, 1, wait_ms());
    std::uint64_t count = 0;
    [[maybe_unused]] const auto drained = read(event_fd_, &count, sizeof count);
  }
}

}  // namespace gantry::service
