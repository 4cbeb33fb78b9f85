// SPDX-License-Identifier: Apache-2.0
#include "loop.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>

namespace gantry::atspi {

Loop::Loop() : wake_fd_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

Loop::~Loop() {
  if (wake_fd_ >= 0) close(wake_fd_);
}

void Loop::post(std::function<void()> work) {
  {
    const std::lock_guard lock(posted_mutex_);
    posted_.push_back(std::move(work));
  }
  const std::uint64_t one = 1;
  // A full counter still wakes the poller, so a failed write loses nothing.
  [[maybe_unused]] const auto written = write(wake_fd_, &one, sizeof one);
}

void Loop::stop() {
  stopping_.store(true, std::memory_order_relaxed);
  post([] {});
}

void Loop::run() {
  while (!stopping()) step(TimePoint::max());
  drain();
}

bool Loop::run_until(const std::function<bool()>& done, TimePoint deadline) {
  while (!done()) {
    if (Clock::now() >= deadline) return false;
    step(deadline);
  }
  return true;
}

Loop::TimerId Loop::call_at(TimePoint when, std::function<void()> work) {
  const TimerId id{when, next_timer_++};
  timers_.emplace(id, std::move(work));
  return id;
}

void Loop::cancel(const TimerId& timer) { timers_.erase(timer); }

void Loop::attach(Pollable* pollable) { pollables_.push_back(pollable); }

void Loop::detach(Pollable* pollable) { std::erase(pollables_, pollable); }

void Loop::step(TimePoint wake_by) {
  std::vector<pollfd> fds{{wake_fd_, POLLIN, 0}};
  if (!timers_.empty()) wake_by = std::min(wake_by, timers_.begin()->first.first);
  for (Pollable* pollable : pollables_) {
    fds.push_back({pollable->poll_fd(), pollable->poll_events(), 0});
    wake_by = std::min(wake_by, pollable->poll_deadline());
  }
  timespec wait{};
  if (wake_by != TimePoint::max()) {
    const auto left = std::max(Clock::duration::zero(), wake_by - Clock::now());
    const auto nanos = std::chrono::duration_cast<std::chrono::nanoseconds>(left).count();
    wait.tv_sec = nanos / 1'000'000'000;
    wait.tv_nsec = nanos % 1'000'000'000;
  }
  ppoll(fds.data(), fds.size(), wake_by == TimePoint::max() ? nullptr : &wait, nullptr);

  run_posted();
  run_timers(Clock::now());
  // A dispatch may attach or detach connections: work on a copy and skip what has gone.
  const auto snapshot = pollables_;
  for (Pollable* pollable : snapshot) {
    if (std::find(pollables_.begin(), pollables_.end(), pollable) != pollables_.end()) {
      pollable->dispatch();
    }
  }
}

void Loop::run_posted() {
  std::uint64_t count = 0;
  [[maybe_unused]] const auto got = read(wake_fd_, &count, sizeof count);
  std::vector<std::function<void()>> work;
  {
    const std::lock_guard lock(posted_mutex_);
    work.swap(posted_);
  }
  for (auto& item : work) item();
}

void Loop::run_timers(TimePoint now) {
  while (!timers_.empty() && timers_.begin()->first.first <= now) {
    auto node = timers_.extract(timers_.begin());
    node.mapped()();
  }
}

void Loop::drain() {
  // stopping() is set: sleepers that wake now see it and unwind instead of going on.
  for (int round = 0; round < 64; ++round) {
    run_posted();
    if (timers_.empty()) break;
    run_timers(TimePoint::max());
  }
  run_posted();
}

}  // namespace gantry::atspi
