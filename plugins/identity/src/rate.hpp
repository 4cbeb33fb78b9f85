// SPDX-License-Identifier: Apache-2.0
//
// How often something may happen from one address. Strand only.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

namespace gantry::identity {

/// The address of a peer without its port: "127.0.0.1:51234" is "127.0.0.1".
std::string address_of(std::string_view peer);

/// A bucket for each address: `most` at once, and as many again in every `window_ns`.
class Rate {
 public:
  /// most = 0: no limit. Buckets keep what they hold.
  void configure(std::int32_t most, std::int64_t window_ns);
  /// Nanoseconds until the next one is allowed; 0: now.
  [[nodiscard]] std::int64_t wait_ns(const std::string& address, std::int64_t now_ns) const;
  /// One has happened.
  void count(const std::string& address, std::int64_t now_ns);

 private:
  struct Bucket {
    double used = 0;
    std::int64_t at_ns = 0;
  };
  [[nodiscard]] double used(const Bucket& bucket, std::int64_t now_ns) const;
  void make_room(std::int64_t now_ns);

  std::int32_t most_ = 0;
  std::int64_t window_ns_ = 1;
  std::unordered_map<std::string, Bucket> buckets_;
};

}  // namespace gantry::identity
