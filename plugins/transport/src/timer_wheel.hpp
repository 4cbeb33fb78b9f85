// SPDX-License-Identifier: Apache-2.0
#pragma once

// Deadlines of many connections, most of which are pushed back long before they are due. One
// thread. Resolution is kTickMs; a timer never fires early.

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace gantry::transport {

/// Base of what can be scheduled. Must be cancelled before it is destroyed.
class WheelEntry {
 public:
  bool scheduled() const { return next_ != nullptr; }
  int64_t due_ms() const { return due_; }

 private:
  friend class TimerWheel;
  WheelEntry* prev_ = nullptr;
  WheelEntry* next_ = nullptr;
  int64_t due_ = 0;
};

class TimerWheel {
 public:
  static constexpr int64_t kTickMs = 32;
  static constexpr size_t kSlots = 1024;

  explicit TimerWheel(int64_t now_ms) : tick_(now_ms / kTickMs) {
    for (auto& head : slots_) head.prev_ = head.next_ = &head;
  }

  void schedule(WheelEntry& entry, int64_t due_ms) {
    cancel(entry);
    entry.due_ = due_ms;
    // The tick after the one that holds due_ms, so that none fires early; far ones are looked at
    // again when the wheel has turned once.
    int64_t tick = due_ms / kTickMs + 1;
    if (tick <= tick_) tick = tick_ + 1;
    if (tick > tick_ + static_cast<int64_t>(kSlots) - 1)
      tick = tick_ + static_cast<int64_t>(kSlots) - 1;
    earliest_ = std::min(earliest_, tick);
    WheelEntry& head = slots_[static_cast<size_t>(tick) % kSlots];
    entry.prev_ = head.prev_;
    entry.next_ = &head;
    head.prev_->next_ = &entry;
    head.prev_ = &entry;
    ++count_;
  }

  void cancel(WheelEntry& entry) {
    if (entry.next_ == nullptr) return;
    entry.prev_->next_ = entry.next_;
    entry.next_->prev_ = entry.prev_;
    entry.prev_ = entry.next_ = nullptr;
    --count_;
  }

  /// Entries that are due, each no longer scheduled.
  std::vector<WheelEntry*> advance(int64_t now_ms) {
    std::vector<WheelEntry*> due;
    const int64_t target = now_ms / kTickMs;
    // After a long pause every slot is visited once; more turns would find nothing new.
    if (target - tick_ > static_cast<int64_t>(kSlots))
      tick_ = target - static_cast<int64_t>(kSlots);
    while (tick_ < target) {
      ++tick_;
      take_slot(slots_[static_cast<size_t>(tick_) % kSlots], now_ms, due);
    }
    return due;
  }

  /// Milliseconds until advance() may find something; -1 when nothing is scheduled.
  int64_t wait_ms(int64_t now_ms) {
    if (count_ == 0) return -1;
    earliest_ = std::max(earliest_, tick_ + 1);
    for (; earliest_ <= tick_ + static_cast<int64_t>(kSlots); ++earliest_) {
      const WheelEntry& head = slots_[static_cast<size_t>(earliest_) % kSlots];
      if (head.next_ != &head) return std::max<int64_t>(earliest_ * kTickMs - now_ms, 0);
    }
    return kTickMs;
  }

 private:
  void take_slot(WheelEntry& head, int64_t now_ms, std::vector<WheelEntry*>& due) {
    std::vector<WheelEntry*> later;
    while (head.next_ != &head) {
      WheelEntry* const entry = head.next_;
      cancel(*entry);
      (entry->due_ <= now_ms ? due : later).push_back(entry);
    }
    for (WheelEntry* entry : later) schedule(*entry, entry->due_);
  }

  std::array<WheelEntry, kSlots> slots_;
  int64_t tick_;
  int64_t earliest_ = tick_ + 1;  ///< no slot before it holds anything
  size_t count_ = 0;
};

}  // namespace gantry::transport
