// SPDX-License-Identifier: Apache-2.0
//
// ManualClock: time that stands still until a test moves it. A FakeHost has one and takes one, so
// that a plugin and the parts of it that are given their time as a function share it:
//
//   testkit::ManualClock clock;
//   Cache cache(clock.monotonic());      // a class of the plugin
//   testkit::FakeHost kit(clock);        // and the whole plugin, on the same time
//   kit.advance(std::chrono::hours(1));  // timers on the way fire
//
// Any thread.
#pragma once

#include <gantry/time.hpp>

#include <atomic>
#include <cstdint>
#include <functional>

namespace gantry::testkit {

class ManualClock {
 public:
  /// Nanoseconds: of a clock that never jumps, and since 1970.
  static constexpr std::int64_t kMonotonic = 1'000'000'000;
  static constexpr std::int64_t kWall = 1'700'000'001'000'000'000;  // 14 November 2023, 22:13:21

  ManualClock() = default;
  ManualClock(const ManualClock&) = delete;
  ManualClock& operator=(const ManualClock&) = delete;

  [[nodiscard]] std::int64_t monotonic_ns() const { return monotonic_; }
  [[nodiscard]] std::int64_t wall_ns() const { return monotonic_ + wall_offset_; }

  /// Both go on. Timers of a FakeHost fire when its own advance() is used instead.
  void advance(Duration delta) { monotonic_ += delta.count(); }
  /// The wall clock jumps, as when it is set; the other one does not notice.
  void set_wall_ns(std::int64_t ns) { wall_offset_ = ns - monotonic_; }

  /// The readings as functions, for code that is given its time. The clock must outlive them.
  [[nodiscard]] std::function<std::int64_t()> monotonic() const {
    return [this] { return monotonic_ns(); };
  }
  [[nodiscard]] std::function<std::int64_t()> wall() const {
    return [this] { return wall_ns(); };
  }

 private:
  std::atomic<std::int64_t> monotonic_{kMonotonic};
  std::atomic<std::int64_t> wall_offset_{kWall - kMonotonic};
};

}  // namespace gantry::testkit
