// SPDX-License-Identifier: Apache-2.0
//
// Where the kernel gets its time from. Everything below main reads time only through Clock, so that
// a test can hold it still and move it.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>

namespace gantry::kernel {

// Told when a hand-driven clock has moved.
class ClockListener {
 public:
  virtual ~ClockListener() = default;
  virtual void clock_moved() = 0;
  virtual std::int64_t next_event_ns() = 0;  // INT64_MAX: none
};

// Thread-safe.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual std::int64_t monotonic_ns() const = 0;
  virtual std::int64_t wall_ns() const = 0;  // since 1970-01-01 UTC
  // true: the clock moves by hand and tells `listener`; false: time passes by itself.
  virtual bool attach(ClockListener* listener) = 0;
  virtual void detach(ClockListener* listener) = 0;
};

class SystemClock final : public Clock {
 public:
  std::int64_t monotonic_ns() const override;  // CLOCK_MONOTONIC
  std::int64_t wall_ns() const override;
  bool attach(ClockListener*) override { return false; }
  void detach(ClockListener*) override {}
  static SystemClock& instance();
};

// Stands still until advance(), which stops at every timer on its way: a timer of 10 ms fires ten
// times in advance(100 ms). Timers are posted to their strands before advance() returns; that they
// have run is for the test to wait for.
class ManualClock final : public Clock {
 public:
  explicit ManualClock(std::int64_t start_ns = 1'000'000'000,
                       std::int64_t wall_ns = 1'700'000'000'000'000'000);
  std::int64_t monotonic_ns() const override { return now_.load(std::memory_order_acquire); }
  std::int64_t wall_ns() const override { return monotonic_ns() + wall_offset_; }
  bool attach(ClockListener* listener) override;
  void detach(ClockListener* listener) override;
  void advance(std::int64_t delta_ns);

 private:
  std::atomic<std::int64_t> now_;
  const std::int64_t wall_offset_;
  std::mutex advancing_;  // one advance at a time; also keeps listeners_ steady meanwhile
  std::vector<ClockListener*> listeners_;
};

}  // namespace gantry::kernel
