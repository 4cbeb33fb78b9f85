// SPDX-License-Identifier: Apache-2.0
#include "exec/timers.hpp"

#include <algorithm>
#include <limits>
#include <vector>

namespace gantry::kernel {

TimerService::TimerService(Clock& clock, Pool& pool)
    : clock_(clock),
      pool_(pool),
      wheel_(clock.monotonic_ns()),
      planned_ns_(std::numeric_limits<std::int64_t>::max()) {
  by_hand_ = clock_.attach(this);
  if (!by_hand_) pool_.set_timer_driver(this);
}

TimerService::~TimerService() {
  if (by_hand_) clock_.detach(this);
  std::lock_guard lock(mutex_);
  for (WheelEntry* entry = wheel_.collect(std::numeric_limits<std::int64_t>::max());
       entry != nullptr;) {
    WheelEntry* next = entry->next;
    static_cast<Timer::Entry*>(entry)->owner->release();
    entry = next;
  }
}

void TimerService::arm(Timer& timer, std::int64_t expiry_ns) {
  timer.retain();
  bool earlier = false;
  {
    std::lock_guard lock(mutex_);
    timer.entry_.owner = &timer;
    wheel_.add(timer.entry_, expiry_ns);
    // The driver is not told when a timer is disarmed, so it may wake once for nothing; in return
    // the deadlines of ordinary calls, which rarely come, hardly ever wake it.
    earlier = !by_hand_ && expiry_ns < planned_ns_;
    if (earlier) planned_ns_ = expiry_ns;
  }
  if (earlier) pool_.kick_timers();
}

bool TimerService::disarm(Timer& timer) {
  {
    std::lock_guard lock(mutex_);
    if (timer.entry_.slot < 0) return false;
    wheel_.remove(timer.entry_);
  }
  timer.release();
  return true;
}

std::size_t TimerService::armed() const {
  std::lock_guard lock(mutex_);
  return wheel_.size();
}

std::int64_t TimerService::next_event_ns() {
  std::lock_guard lock(mutex_);
  planned_ns_ = wheel_.next_event_ns();
  return planned_ns_;
}

void TimerService::fire_due() {
  std::vector<WheelEntry*> due;
  {
    std::lock_guard lock(mutex_);
    if (wheel_.size() == 0) return;
    for (WheelEntry* entry = wheel_.collect(clock_.monotonic_ns()); entry != nullptr;
         entry = entry->next) {
      due.push_back(entry);
    }
    std::sort(due.begin(), due.end(), [](const WheelEntry* a, const WheelEntry* b) {
      return a->expiry_ns != b->expiry_ns ? a->expiry_ns < b->expiry_ns : a->order < b->order;
    });
  }
  for (WheelEntry* entry : due) {
    Timer* timer = static_cast<Timer::Entry*>(entry)->owner;
    timer->on_due();
    timer->release();
  }
}

}  // namespace gantry::kernel
