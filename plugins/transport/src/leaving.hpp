// SPDX-License-Identifier: Apache-2.0
#pragma once

// What waits for peers that do not read. Each connection has a limit of its own; together, from
// thousands of them, they would have none.

#include <atomic>
#include <cstddef>
#include <utility>

namespace gantry::transport {

/// Of all connections of a server. Any thread.
class LeavingBytes {
 public:
  explicit LeavingBytes(size_t limit) : limit_(limit) {}

 private:
  friend class LeavingShare;

  const size_t limit_;
  std::atomic<size_t> bytes_{0};
  std::atomic<size_t> connections_{0};  ///< that have something waiting
};

/// The share of one connection. One thread at a time.
class LeavingShare {
 public:
  explicit LeavingShare(LeavingBytes& all) : all_(all) {}
  ~LeavingShare() { set(0); }
  LeavingShare(const LeavingShare&) = delete;
  LeavingShare& operator=(const LeavingShare&) = delete;

  /// So much waits now. False: it is more than an equal part of the limit, and all together are
  /// over it, so this connection is given up. Whoever has less than its part never is; so all
  /// together have twice the limit at most, and the only one has no limit here.
  bool set(size_t waiting) {
    if (waiting == held_) return true;
    const bool more = waiting > held_;
    const size_t bytes =
        all_.bytes_.fetch_add(waiting - held_, std::memory_order_relaxed) + waiting - held_;
    if ((held_ == 0) != (waiting == 0)) {
      all_.connections_.fetch_add(held_ == 0 ? 1 : ~size_t{0}, std::memory_order_relaxed);
    }
    held_ = waiting;
    if (!more || bytes <= all_.limit_) return true;
    const size_t connections = all_.connections_.load(std::memory_order_relaxed);
    return connections <= 1 || waiting <= all_.limit_ / connections;
  }

 private:
  LeavingBytes& all_;
  size_t held_ = 0;
};

}  // namespace gantry::transport
