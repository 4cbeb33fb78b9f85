// SPDX-License-Identifier: Apache-2.0
//
// Patience: until when a caller waits, and whether it has given up. The clock is injected.
#pragma once

#include <gantry/result.hpp>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <limits>
#include <mutex>
#include <string>
#include <string_view>

namespace gantry::x11 {

using namespace std::chrono_literals;

/// Monotonic time in nanoseconds.
using MonotonicClock = std::function<std::int64_t()>;

/// The clock of the machine, for programs that have no host.
inline std::int64_t steady_now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

/// A value: copies share the clock and the cancel question. Used from one thread at a time.
class Patience {
 public:
  static constexpr std::int64_t kForever = std::numeric_limits<std::int64_t>::max();

  Patience(MonotonicClock now, std::int64_t deadline_ns, std::function<bool()> cancelled = {})
      : now_(std::move(now)), cancelled_(std::move(cancelled)), deadline_ns_(deadline_ns) {}

  /// The same caller, but waiting at most `limit` from now.
  [[nodiscard]] Patience at_most(std::chrono::nanoseconds limit) const {
    Patience shorter = *this;
    shorter.deadline_ns_ = std::min(deadline_ns_, now_() + limit.count());
    return shorter;
  }
  [[nodiscard]] bool cancelled() const { return cancelled_ && cancelled_(); }
  [[nodiscard]] bool expired() const { return deadline_ns_ != kForever && now_() >= deadline_ns_; }
  [[nodiscard]] std::int64_t now() const { return now_(); }

  /// An error when the caller gave up or its time is over; `what` begins the message.
  [[nodiscard]] Result<void> check(std::string_view what) const {
    if (cancelled()) return Error{Code::Cancelled, std::string(what) + ": cancelled", {}};
    if (expired()) {
      return Error{Code::DeadlineExceeded, std::string(what) + ": the deadline has passed", {}};
    }
    return {};
  }

  /// Waits until `ready` is true; false when it gave up. The slices bound how long a cancel can go
  /// unnoticed. [may block]
  template <class Ready>
  bool wait(std::unique_lock<std::mutex>& lock, std::condition_variable& changed,
            Ready ready) const {
    while (!ready()) {
      if (cancelled() || expired()) return false;
      changed.wait_for(lock, std::min<std::chrono::nanoseconds>(kSlice, left()));
    }
    return true;
  }

  /// Lets `duration` pass, or less when the caller gives up: then false. [may block]
  bool pause(std::chrono::nanoseconds duration) const {
    std::mutex mutex;
    std::condition_variable never;
    std::unique_lock lock(mutex);
    const std::int64_t end = now_() + duration.count();
    while (now_() < end) {
      if (cancelled() || expired()) return false;
      never.wait_for(
          lock, std::min<std::chrono::nanoseconds>(kSlice, std::chrono::nanoseconds(end - now_())));
    }
    return true;
  }

 private:
  static constexpr std::chrono::nanoseconds kSlice = 10ms;
  [[nodiscard]] std::chrono::nanoseconds left() const {
    return deadline_ns_ == kForever
               ? kSlice
               : std::chrono::nanoseconds(std::max<std::int64_t>(0, deadline_ns_ - now_()));
  }

  MonotonicClock now_;
  std::function<bool()> cancelled_;
  std::int64_t deadline_ns_;
};

}  // namespace gantry::x11
