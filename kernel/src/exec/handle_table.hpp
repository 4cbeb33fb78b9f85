// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "exec/ref.hpp"

#include <cstdint>
#include <mutex>
#include <vector>

namespace gantry::kernel {

// Numbers for objects that plugins may name later: never 0, never reused while 2^32 newer objects
// have not used the same slot, so that a stale number finds nothing. Thread-safe.
template <class T>
class HandleTable {
 public:
  std::uint64_t insert(Ref<T> object) {
    std::lock_guard lock(mutex_);
    std::uint32_t index;
    if (free_.empty()) {
      index = static_cast<std::uint32_t>(slots_.size());
      slots_.emplace_back();
    } else {
      index = free_.back();
      free_.pop_back();
    }
    slots_[index].object = std::move(object);
    return (std::uint64_t{slots_[index].generation} << 32) | (index + 1u);
  }
  Ref<T> find(std::uint64_t handle) const {
    std::lock_guard lock(mutex_);
    const Slot* slot = slot_of(handle);
    return slot != nullptr ? slot->object : Ref<T>();
  }
  Ref<T> take(std::uint64_t handle) {
    std::lock_guard lock(mutex_);
    const Slot* found = slot_of(handle);
    if (found == nullptr) return {};
    const auto index = static_cast<std::uint32_t>(found - slots_.data());
    Slot& slot = slots_[index];
    ++slot.generation;
    free_.push_back(index);
    return std::exchange(slot.object, {});
  }
  bool empty() const {
    std::lock_guard lock(mutex_);
    return free_.size() == slots_.size();
  }
  std::vector<Ref<T>> all() const {
    std::lock_guard lock(mutex_);
    std::vector<Ref<T>> result;
    for (const Slot& slot : slots_) {
      if (slot.object) result.push_back(slot.object);
    }
    return result;
  }

 private:
  struct Slot {
    Ref<T> object;
    std::uint32_t generation = 1;
  };
  const Slot* slot_of(std::uint64_t handle) const {
    const auto index = static_cast<std::uint32_t>(handle) - 1u;
    if (index >= slots_.size()) return nullptr;
    const Slot& slot = slots_[index];
    return slot.object && slot.generation == handle >> 32 ? &slot : nullptr;
  }

  mutable std::mutex mutex_;
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> free_;
};

}  // namespace gantry::kernel
