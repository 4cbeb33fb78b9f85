// SPDX-License-Identifier: Apache-2.0
#pragma once
// How much of what a server says may wait for the strand. Whoever reads from it waits here while
// there is more, and the server with it: pipes and sockets fill up. Thread safe.

#include <condition_variable>
#include <cstddef>
#include <mutex>

namespace gantry::tools_mcp {

class Backlog {
 public:
  static constexpr std::size_t kMost = 4U << 20U;
  explicit Backlog(std::size_t most = kMost) : most_(most) {}
  Backlog(const Backlog&) = delete;
  Backlog& operator=(const Backlog&) = delete;

  /// Waits until the message has room beside what is waiting, or alone. False: nobody takes
  /// anything any more. Never on the strand.
  bool put(std::size_t bytes) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock,
                  [&] { return closed_ || waiting_ == 0 || waiting_ + cost(bytes) <= most_; });
    if (!closed_) waiting_ += cost(bytes);
    return !closed_;
  }
  /// The strand has taken over what was put.
  void took(std::size_t bytes) {
    {
      const std::lock_guard lock(mutex_);
      waiting_ -= cost(bytes);
    }
    changed_.notify_all();
  }
  void close() {
    {
      const std::lock_guard lock(mutex_);
      closed_ = true;
    }
    changed_.notify_all();
  }

 private:
  /// Of many small messages it is not the bytes that weigh.
  static std::size_t cost(std::size_t bytes) { return bytes + 256; }

  const std::size_t most_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t waiting_ = 0;
  bool closed_ = false;
};

}  // namespace gantry::tools_mcp
