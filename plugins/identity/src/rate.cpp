// SPDX-License-Identifier: Apache-2.0
#include "rate.hpp"

#include <algorithm>
#include <cmath>

namespace gantry::identity {
namespace {

constexpr std::size_t kMaxAddresses = 10'000;

}  // namespace

std::string address_of(std::string_view peer) {
  const std::size_t colon = peer.rfind(':');
  return std::string(colon == std::string_view::npos ? peer : peer.substr(0, colon));
}

void Rate::configure(std::int32_t most, std::int64_t window_ns) {
  most_ = most;
  window_ns_ = window_ns;
}

double Rate::used(const Bucket& bucket, std::int64_t now_ns) const {
  const double gone = static_cast<double>(now_ns - bucket.at_ns) / static_cast<double>(window_ns_);
  return std::max(0.0, bucket.used - gone * most_);
}

std::int64_t Rate::wait_ns(const std::string& address, std::int64_t now_ns) const {
  if (most_ == 0) return 0;
  const auto found = buckets_.find(address);
  if (found == buckets_.end()) return 0;
  const double over = used(found->second, now_ns) - (most_ - 1);
  if (over <= 0) return 0;
  return static_cast<std::int64_t>(std::ceil(over / most_ * static_cast<double>(window_ns_)));
}

void Rate::count(const std::string& address, std::int64_t now_ns) {
  if (most_ == 0) return;
  if (buckets_.size() >= kMaxAddresses && !buckets_.contains(address)) make_room(now_ns);
  Bucket& bucket = buckets_[address];
  bucket = {used(bucket, now_ns) + 1, now_ns};
}

/// Empty buckets go; when there are none, the one that is the least full.
void Rate::make_room(std::int64_t now_ns) {
  std::erase_if(buckets_, [&](const auto& entry) { return used(entry.second, now_ns) <= 0; });
  if (buckets_.size() < kMaxAddresses) return;
  buckets_.erase(
      std::min_element(buckets_.begin(), buckets_.end(), [&](const auto& a, const auto& b) {
        return used(a.second, now_ns) < used(b.second, now_ns);
      }));
}

}  // namespace gantry::identity
