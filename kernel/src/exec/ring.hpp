// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

namespace gantry::kernel {

// A first-in first-out queue that owns no memory while it is empty and was never long; std::deque
// takes half a kilobyte to begin with, which is too much for one of each mailbox and stream.
// Longer than `kKept` it gives its memory back when it becomes empty.
template <class T, std::size_t kKept = 64>
class Ring {
 public:
  Ring() = default;
  Ring(Ring&& other) noexcept { swap(other); }
  Ring& operator=(Ring&& other) noexcept {
    swap(other);
    return *this;
  }

  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  T& front() { return slots_[head_]; }
  T& operator[](std::size_t index) { return slots_[(head_ + index) & (capacity_ - 1)]; }

  void push_back(T value) {
    if (size_ == capacity_) grow();
    slots_[(head_ + size_) & (capacity_ - 1)] = std::move(value);
    ++size_;
  }
  T pop_front() {
    T value = std::exchange(slots_[head_], T());
    head_ = (head_ + 1) & (capacity_ - 1);
    if (--size_ == 0 && capacity_ > kKept) {
      slots_.reset();
      capacity_ = head_ = 0;
    }
    return value;
  }
  void swap(Ring& other) noexcept {
    std::swap(slots_, other.slots_);
    std::swap(capacity_, other.capacity_);
    std::swap(head_, other.head_);
    std::swap(size_, other.size_);
  }

 private:
  void grow() {
    const std::uint32_t capacity = capacity_ == 0 ? 4 : 2 * capacity_;
    auto slots = std::make_unique<T[]>(capacity);
    for (std::size_t i = 0; i < size_; ++i) slots[i] = std::move((*this)[i]);
    slots_ = std::move(slots);
    capacity_ = capacity;
    head_ = 0;
  }

  std::unique_ptr<T[]> slots_;
  std::uint32_t capacity_ = 0;  // 0 or a power of two
  std::uint32_t head_ = 0;
  std::uint32_t size_ = 0;
};

}  // namespace gantry::kernel
