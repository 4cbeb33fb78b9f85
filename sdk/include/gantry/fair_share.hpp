// SPDX-License-Identifier: Apache-2.0
//
// FairBudget and FairShare: a limit for what many hold together, of which each has an equal part.
// A limit for each alone is none for thousands of them.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <utility>

namespace gantry {

/// What is held by all. Any thread.
class FairBudget {
 public:
  /// `limit` in whatever is counted, mostly bytes.
  explicit FairBudget(std::size_t limit) : limit_(limit) {}

  [[nodiscard]] std::size_t limit() const { return limit_; }

 private:
  friend class FairShare;

  const std::size_t limit_;
  std::atomic<std::size_t> held_{0};
  std::atomic<std::size_t> holders_{0};  ///< that hold something
};

/// What one of them holds; given back with it. One thread at a time.
class FairShare {
 public:
  explicit FairShare(std::shared_ptr<FairBudget> all) : all_(std::move(all)) {}
  ~FairShare() { (void)set(0); }
  FairShare(const FairShare&) = delete;
  FairShare& operator=(const FairShare&) = delete;

  /// Holds so much from now on. False: that is more than before, more than an equal part of the
  /// limit, and all together are over it; the caller takes it back or gives something up. Whoever
  /// has less than its part never is refused, and nobody gives back for who comes later: so n
  /// holders have 1 + ln n times the limit at most, ten thousand ten times.
  [[nodiscard]] bool set(std::size_t now) {
    if (now == held_) return true;
    const bool more = now > held_;
    const std::size_t all =
        all_->held_.fetch_add(now - held_, std::memory_order_relaxed) + now - held_;
    if ((held_ == 0) != (now == 0)) {
      all_->holders_.fetch_add(held_ == 0 ? 1 : ~std::size_t{0}, std::memory_order_relaxed);
    }
    held_ = now;
    if (!more || all <= all_->limit_) return true;
    const std::size_t holders = all_->holders_.load(std::memory_order_relaxed);
    return now <= all_->limit_ / (holders == 0 ? 1 : holders);
  }
  /// Nobody else holds anything: an only holder may be let over the limit.
  [[nodiscard]] bool alone() const {
    return all_->holders_.load(std::memory_order_relaxed) <= (held_ == 0 ? 0U : 1U);
  }
  [[nodiscard]] std::size_t held() const { return held_; }

 private:
  const std::shared_ptr<FairBudget> all_;
  std::size_t held_ = 0;
};

}  // namespace gantry
