// SPDX-License-Identifier: Apache-2.0
#pragma once

// What waits for peers that do not read. Each connection has a limit of its own; together, from
// thousands of them, they would have none.

#include <sys/socket.h>

#include <cstddef>
#include <cstdint>
#include <list>
#include <mutex>

#include "clock.hpp"

namespace gantry::transport {

class LeavingShare;

/// Of all connections of a server. Any thread; outlives its shares.
class LeavingBytes {
 public:
  LeavingBytes(size_t limit, const Clock& clock) : limit_(limit), clock_(clock) {}

 private:
  friend class LeavingShare;
  /// Who has taken nothing for so long gives way to others.
  static constexpr int64_t kStalledMs = 250;

  /// Until the rest is within the limit. False: `adding` has stalled longest of all that are left.
  bool give_up_stalled(const LeavingShare& adding);

  const size_t limit_;
  const Clock& clock_;
  std::mutex mutex_;
  size_t bytes_ = 0;
  std::list<LeavingShare*> waiting_;  ///< who has taken something last is the last
};

/// The share of one connection. One thread at a time.
class LeavingShare {
 public:
  /// `fd` is open as long as something waits.
  LeavingShare(LeavingBytes& all, int fd) : all_(all), fd_(fd) {}
  ~LeavingShare() { forget(); }
  LeavingShare(const LeavingShare&) = delete;
  LeavingShare& operator=(const LeavingShare&) = delete;

  /// So much memory waits now; `moved`: the peer has just taken something. When that is too much
  /// together, peers that have taken nothing for so long are given up, the one that has longest
  /// first: their sockets are shut down. False: this one is, or that was not enough and it adds to
  /// more than an equal part of the limit. Whoever reads and has less than its part never is given
  /// up; so n peers that all read have 1 + ln n times the limit at most, and the only one has no
  /// limit here. What a peer reads is seen when its socket takes more, which is after a third of
  /// what is on the way: one with megabytes there that reads slowly counts as one that does not.
  bool set(size_t bytes, bool moved) {
    if (bytes == 0) return forget();
    const std::lock_guard lock(all_.mutex_);
    if (given_up_) return false;
    waits_ = true;
    const bool more = bytes > held_;
    if (held_ == 0) {
      place_ = all_.waiting_.insert(all_.waiting_.end(), this);
    } else if (moved) {
      all_.waiting_.splice(all_.waiting_.end(), all_.waiting_, place_);
    }
    if (held_ == 0 || moved) moved_ms_ = all_.clock_.now_ms();
    all_.bytes_ += bytes - held_;
    held_ = bytes;
    if (!more || all_.bytes_ <= all_.limit_) return true;
    const bool reads = all_.give_up_stalled(*this);
    const size_t peers = all_.waiting_.size();
    if (all_.bytes_ <= all_.limit_ || peers == 1) return true;
    return reads && bytes <= all_.limit_ / peers;
  }
  /// Whether set() of another one has given this one up.
  bool given_up() const {
    const std::lock_guard lock(all_.mutex_);
    return given_up_;
  }

 private:
  friend class LeavingBytes;

  /// Nothing waits any more. False: it was given up.
  bool forget() {
    if (!waits_) return true;
    waits_ = false;
    const std::lock_guard lock(all_.mutex_);
    leave();
    return !given_up_;
  }
  void leave() {
    if (held_ == 0) return;
    all_.bytes_ -= held_;
    all_.waiting_.erase(place_);
    held_ = 0;
  }

  LeavingBytes& all_;
  const int fd_;
  bool waits_ = false;  ///< the owner's: what is behind the mutex may be nothing meanwhile
  bool given_up_ = false;
  size_t held_ = 0;
  int64_t moved_ms_ = 0;
  std::list<LeavingShare*>::iterator place_;
};

inline bool LeavingBytes::give_up_stalled(const LeavingShare& adding) {
  const int64_t now = clock_.now_ms();
  while (bytes_ > limit_ && !waiting_.empty()) {
    LeavingShare& first = *waiting_.front();
    if (now - first.moved_ms_ < kStalledMs) return true;
    if (&first == &adding) return false;
    first.leave();
    first.given_up_ = true;
    ::shutdown(first.fd_, SHUT_RDWR);  // its loop does the rest
  }
  return true;
}

}  // namespace gantry::transport
