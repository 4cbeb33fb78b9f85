// SPDX-License-Identifier: Apache-2.0
#include "exec/timer_wheel.hpp"

#include <algorithm>
#include <bit>
#include <limits>

namespace gantry::kernel {

TimerWheel::TimerWheel(std::int64_t now_ns) : tick_(now_ns >> kTickBits) {}

void TimerWheel::place(WheelEntry& entry) {
  const std::int64_t tick = std::max(tick_of(entry.expiry_ns), tick_);
  // The level is that of the highest group of six bits in which the time differs from now; then the
  // slot is reached exactly when the lower groups have run out.
  const auto differing = static_cast<std::uint64_t>(tick ^ tick_);
  const int level =
      differing == 0 ? 0 : (static_cast<int>(std::bit_width(differing)) - 1) / kSlotBits;
  const std::int64_t index = (tick >> (level * kSlotBits)) & (kSlots - 1);
  const auto slot = static_cast<std::size_t>(std::int64_t{level} * kSlots + index);
  entry.slot = static_cast<std::int16_t>(slot);
  entry.previous = nullptr;
  entry.next = slots_[slot];
  if (entry.next != nullptr) entry.next->previous = &entry;
  slots_[slot] = &entry;
  used_[static_cast<std::size_t>(level)] |= std::uint64_t{1} << index;
}

void TimerWheel::add(WheelEntry& entry, std::int64_t expiry_ns) {
  entry.expiry_ns = expiry_ns;
  entry.order = ++armed_;
  place(entry);
  ++size_;
}

void TimerWheel::remove(WheelEntry& entry) {
  const auto slot = static_cast<std::size_t>(entry.slot);
  (entry.previous != nullptr ? entry.previous->next : slots_[slot]) = entry.next;
  if (entry.next != nullptr) entry.next->previous = entry.previous;
  if (slots_[slot] == nullptr) used_[slot / kSlots] &= ~(std::uint64_t{1} << (slot % kSlots));
  entry.slot = -1;
  entry.previous = entry.next = nullptr;
  --size_;
}

// Spreads the slot that the given level has just reached over the levels below it.
void TimerWheel::cascade(int level) {
  const auto index = static_cast<std::size_t>((tick_ >> (level * kSlotBits)) & (kSlots - 1));
  const std::size_t slot = static_cast<std::size_t>(level) * kSlots + index;
  WheelEntry* entry = slots_[slot];
  slots_[slot] = nullptr;
  used_[static_cast<std::size_t>(level)] &= ~(std::uint64_t{1} << index);
  while (entry != nullptr) {
    WheelEntry* next = entry->next;
    place(*entry);
    entry = next;
  }
}

WheelEntry* TimerWheel::collect(std::int64_t now_ns) {
  WheelEntry* first = nullptr;
  WheelEntry** tail = &first;
  const std::int64_t now_tick = tick_of(now_ns);
  for (;;) {
    const auto slot = static_cast<std::size_t>(tick_ & (kSlots - 1));
    for (WheelEntry* entry = slots_[slot]; entry != nullptr;) {
      WheelEntry* next = entry->next;
      if (entry->expiry_ns <= now_ns) {
        remove(*entry);
        *tail = entry;
        tail = &entry->next;
      }
      entry = next;
    }
    if (tick_ >= now_tick) break;
    // Straight to the next tick that holds anything, or to now.
    const std::int64_t next_tick = std::min(now_tick, tick_of(next_event_ns()));
    const std::int64_t before = tick_;
    tick_ = std::max(next_tick, tick_ + 1);
    for (int level = kLevels - 1; level > 0; --level) {
      if ((tick_ >> (level * kSlotBits)) != (before >> (level * kSlotBits))) cascade(level);
    }
  }
  return first;
}

std::int64_t TimerWheel::next_event_ns() const {
  if (size_ == 0) return std::numeric_limits<std::int64_t>::max();
  for (int level = 0; level < kLevels; ++level) {
    const std::uint64_t used = used_[static_cast<std::size_t>(level)];
    if (used == 0) continue;
    const int shift = level * kSlotBits;
    const int current = static_cast<int>((tick_ >> shift) & (kSlots - 1));
    // Slots in the order in which they come; the current one of a higher level is never filled.
    const std::uint64_t rotated = std::rotr(used, current);
    const int ahead = std::countr_zero(rotated);
    if (level > 0) return (((tick_ >> shift) + ahead) << shift) << kTickBits;
    std::int64_t first = std::numeric_limits<std::int64_t>::max();
    for (WheelEntry* entry = slots_[static_cast<std::size_t>((current + ahead) & (kSlots - 1))];
         entry != nullptr; entry = entry->next) {
      first = std::min(first, entry->expiry_ns);
    }
    return first;
  }
  return std::numeric_limits<std::int64_t>::max();
}

}  // namespace gantry::kernel
