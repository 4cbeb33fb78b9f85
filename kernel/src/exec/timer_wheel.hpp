// SPDX-License-Identifier: Apache-2.0
//
// Hierarchical timer wheel: arming and disarming cost the same for ten timers and for a million,
// which matters because every call in flight has one for its deadline.
//
// Times are exact nanoseconds. A slot of the lowest level spans about a millisecond (2^20 ns), a
// slot of each higher level 64 times as much; a timer moves down as its time comes near, and inside
// the slot that is due now its exact time decides.
//
// Not thread-safe: TimerService guards it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace gantry::kernel {

// A member of the wheel's lists; embed or derive.
struct WheelEntry {
  WheelEntry* previous = nullptr;
  WheelEntry* next = nullptr;
  std::int64_t expiry_ns = 0;
  std::uint64_t order = 0;  // of arming; equal expiries fire in this order
  std::int16_t slot = -1;   // -1: not in the wheel
};

class TimerWheel {
 public:
  explicit TimerWheel(std::int64_t now_ns);

  void add(WheelEntry& entry, std::int64_t expiry_ns);
  void remove(WheelEntry& entry);  // entry.slot must not be -1
  // Takes out every entry with expiry_ns <= now_ns, linked by `next`, in no particular order.
  WheelEntry* collect(std::int64_t now_ns);
  // Not later than the first expiry, and equal to it when it is less than 64 ms away.
  // INT64_MAX: the wheel is empty.
  std::int64_t next_event_ns() const;
  std::size_t size() const { return size_; }

 private:
  static constexpr int kTickBits = 20;
  static constexpr int kSlotBits = 6;
  static constexpr int kSlots = 1 << kSlotBits;
  static constexpr int kLevels = 8;  // 20 + 48 bits: every 64-bit time has its slot

  void place(WheelEntry& entry);
  void cascade(int level);
  std::int64_t tick_of(std::int64_t ns) const { return ns >> kTickBits; }

  std::int64_t tick_;  // of the time up to which the wheel was collected
  std::size_t size_ = 0;
  std::uint64_t armed_ = 0;
  std::array<WheelEntry*, std::size_t{kLevels} * kSlots> slots_{};
  std::array<std::uint64_t, kLevels> used_{};  // bit i: slot i of the level is not empty
};

}  // namespace gantry::kernel
