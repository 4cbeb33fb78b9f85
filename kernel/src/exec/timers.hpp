// SPDX-License-Identifier: Apache-2.0
//
// TimerService: the wheel with its lock, its clock and whoever drives it (the pool's reserved
// worker, or a ManualClock).
#pragma once

#include "exec/clock.hpp"
#include "exec/pool.hpp"
#include "exec/ref.hpp"
#include "exec/timer_wheel.hpp"

#include <cstdint>
#include <mutex>

namespace gantry::kernel {

// Something with a time. on_due() runs on the driver's thread and must be brief; no lock is held.
class Timer : public virtual RefCounted {
 protected:
  virtual void on_due() = 0;

 private:
  friend class TimerService;
  struct Entry : WheelEntry {
    Timer* owner = nullptr;
  };
  Entry entry_;  // guarded by the service's mutex
};

// Thread-safe. An armed timer is kept alive by one reference.
class TimerService final : public TimerDriver, public ClockListener {
 public:
  TimerService(Clock& clock, Pool& pool);
  ~TimerService() override;

  // The timer must not be armed already.
  void arm(Timer& timer, std::int64_t expiry_ns);
  // true: it was armed and will not become due. false: it never was, or is (about to be) due.
  bool disarm(Timer& timer);
  std::size_t armed() const;

  std::int64_t next_event_ns() override;
  void fire_due() override;
  void clock_moved() override { fire_due(); }

 private:
  Clock& clock_;
  Pool& pool_;
  bool by_hand_ = false;
  mutable std::mutex mutex_;
  TimerWheel wheel_;
  std::int64_t planned_ns_;  // when the driver will look next by itself
};

}  // namespace gantry::kernel
