// SPDX-License-Identifier: Apache-2.0
// The bus thread's poll loop: D-Bus connections, timers and work posted from other threads.
// Everything but post() and stop() belongs to the thread that runs the loop.
#pragma once

#include <atomic>
#include <chrono>
#include <coroutine>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace gantry::atspi {

using Clock = std::chrono::steady_clock;
using TimePoint = Clock::time_point;
using std::chrono::milliseconds;

/// Something with a file descriptor that the loop polls and drives.
class Pollable {
 public:
  virtual ~Pollable() = default;
  virtual int poll_fd() = 0;
  virtual short poll_events() = 0;
  /// When dispatch() is due even without input; TimePoint::max() for never.
  virtual TimePoint poll_deadline() = 0;
  virtual void dispatch() = 0;
};

class Loop {
 public:
  using TimerId = std::pair<TimePoint, std::uint64_t>;

  Loop();
  ~Loop();
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  /// [thread: any] Runs `work` on the loop's thread, in order.
  void post(std::function<void()> work);
  /// [thread: any] Makes run() return. Timers still pending fire first, so sleepers unwind.
  void stop();

  void run();
  /// Runs until `done()` or `deadline`; true when done. For tests and tools.
  bool run_until(const std::function<bool()>& done, TimePoint deadline);

  TimerId call_at(TimePoint when, std::function<void()> work);
  void cancel(const TimerId& timer);
  void attach(Pollable* pollable);
  void detach(Pollable* pollable);
  /// Frees `object` from a later turn of the loop: it may be on the call stack right now.
  void dispose(std::shared_ptr<void> object) {
    if (object) post([doomed = std::move(object)]() mutable { doomed.reset(); });
  }
  bool stopping() const { return stopping_.load(std::memory_order_relaxed); }

  /// `co_await loop.sleep_until(t)`; false when the loop is stopping.
  auto sleep_until(TimePoint when) {
    struct Sleep {
      Loop& loop;
      TimePoint when;
      bool await_ready() const { return loop.stopping(); }
      void await_suspend(std::coroutine_handle<> self) {
        loop.call_at(when, [self] { self.resume(); });
      }
      bool await_resume() const { return !loop.stopping(); }
    };
    return Sleep{*this, when};
  }

 private:
  void step(TimePoint wake_by);
  void run_posted();
  void run_timers(TimePoint now);
  void drain();

  int wake_fd_;
  std::atomic<bool> stopping_{false};
  std::mutex posted_mutex_;
  std::vector<std::function<void()>> posted_;
  std::map<TimerId, std::function<void()>> timers_;
  std::uint64_t next_timer_ = 0;
  std::vector<Pollable*> pollables_;
};

}  // namespace gantry::atspi
