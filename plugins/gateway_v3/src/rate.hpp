// SPDX-License-Identifier: Apache-2.0
#pragma once
// How often somebody may do something: a bucket that fills steadily. Strand only.

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>

namespace gantry::gateway {

class RateLimit {
 public:
  /// `per_minute` 0: no limit. `burst` at once.
  RateLimit(double per_minute, double burst) : per_minute_(per_minute), burst_(burst) {}

  /// Takes one; false: there is none left.
  bool take(const std::string& who, std::int64_t now_ns) {
    if (per_minute_ <= 0) return true;
    if (buckets_.size() >= kMost) forget_full(now_ns);
    Bucket& bucket = buckets_.try_emplace(who, Bucket{burst_, now_ns}).first->second;
    refill(bucket, now_ns);
    if (bucket.left < 1) return false;
    bucket.left -= 1;
    return true;
  }
  /// Whether one is left.
  [[nodiscard]] bool has(const std::string& who, std::int64_t now_ns) {
    const auto found = buckets_.find(who);
    if (per_minute_ <= 0 || found == buckets_.end()) return true;
    refill(found->second, now_ns);
    return found->second.left >= 1;
  }

 private:
  struct Bucket {
    double left = 0;
    std::int64_t at_ns = 0;
  };
  static constexpr std::size_t kMost = 65'536;

  void refill(Bucket& bucket, std::int64_t now_ns) const {
    constexpr double kNsPerMinute = 60e9;
    const double grown = static_cast<double>(now_ns - bucket.at_ns) * per_minute_ / kNsPerMinute;
    bucket.left = bucket.left + grown > burst_ ? burst_ : bucket.left + grown;
    bucket.at_ns = now_ns;
  }
  void forget_full(std::int64_t now_ns) {
    std::erase_if(buckets_, [&](const auto& entry) {
      Bucket bucket = entry.second;
      refill(bucket, now_ns);
      return bucket.left >= burst_;
    });
  }

  double per_minute_;
  double burst_;
  std::unordered_map<std::string, Bucket> buckets_;
};

}  // namespace gantry::gateway
