// SPDX-License-Identifier: Apache-2.0
#pragma once

// What has come of request bodies and WebSocket messages that are not complete yet. Each has a
// limit of its own; together, from thousands of connections, they would have none.

#include <atomic>
#include <cstddef>
#include <utility>

namespace gantry::transport {

/// Of all connections of a server. Any thread.
class ArrivingBytes {
 public:
  explicit ArrivingBytes(size_t limit) : limit_(limit) {}

  /// Counts `more` bytes of one that has `held`. False, and nothing is counted: it would be over
  /// the limit, and there are others that can end first.
  bool add(size_t more, size_t held) {
    const size_t others = total_.fetch_add(more, std::memory_order_relaxed) - held;
    if (others == 0 || others + held + more <= limit_) return true;
    remove(more);
    return false;
  }
  void remove(size_t bytes) { total_.fetch_sub(bytes, std::memory_order_relaxed); }

 private:
  const size_t limit_;
  std::atomic<size_t> total_{0};
};

/// The share of one body or message. One thread.
class ArrivingShare {
 public:
  ArrivingShare() = default;
  ~ArrivingShare() { release(); }
  ArrivingShare(const ArrivingShare&) = delete;
  ArrivingShare& operator=(const ArrivingShare&) = delete;

  /// It has `size` bytes now. False: too much is arriving, and this one is given up. Small ones
  /// cost nothing and do not count.
  bool grow(ArrivingBytes& all, size_t size) {
    if (size < kCounted || size <= held_) return true;
    if (all.add(size - held_, held_)) {
      all_ = &all;
      held_ = size;
      return true;
    }
    release();
    return false;
  }
  /// It is complete, or given up.
  void release() {
    if (held_ != 0) all_->remove(std::exchange(held_, 0));
  }

 private:
  static constexpr size_t kCounted = 16 * 1024;

  ArrivingBytes* all_ = nullptr;
  size_t held_ = 0;
};

}  // namespace gantry::transport
