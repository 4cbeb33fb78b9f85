// SPDX-License-Identifier: Apache-2.0
#include "exec/clock.hpp"

#include <algorithm>
#include <chrono>
#include <limits>

namespace gantry::kernel {

namespace {
template <class C>
std::int64_t since_epoch_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(C::now().time_since_epoch()).count();
}
}  // namespace

std::int64_t SystemClock::monotonic_ns() const {
  return since_epoch_ns<std::chrono::steady_clock>();
}
std::int64_t SystemClock::wall_ns() const { return since_epoch_ns<std::chrono::system_clock>(); }

SystemClock& SystemClock::instance() {
  static SystemClock clock;
  return clock;
}

ManualClock::ManualClock(std::int64_t start_ns, std::int64_t wall_ns)
    : now_(start_ns), wall_offset_(wall_ns - start_ns) {}

bool ManualClock::attach(ClockListener* listener) {
  std::lock_guard lock(advancing_);
  listeners_.push_back(listener);
  return true;
}

void ManualClock::detach(ClockListener* listener) {
  std::lock_guard lock(advancing_);
  std::erase(listeners_, listener);
}

void ManualClock::advance(std::int64_t delta_ns) {
  std::lock_guard lock(advancing_);
  const std::int64_t target = now_.load() + delta_ns;
  for (;;) {
    std::int64_t next = std::numeric_limits<std::int64_t>::max();
    for (ClockListener* listener : listeners_) next = std::min(next, listener->next_event_ns());
    if (next > target) break;
    now_.store(std::max(next, now_.load()), std::memory_order_release);
    for (ClockListener* listener : listeners_) listener->clock_moved();
  }
  now_.store(target, std::memory_order_release);
  for (ClockListener* listener : listeners_) listener->clock_moved();
}

}  // namespace gantry::kernel
