// SPDX-License-Identifier: Apache-2.0
//
// Breaker: a server that has failed several times in a row is left alone for a while. Pure: whoever
// asks says what time it is. One thread at a time.
#pragma once

#include <gantry/time.hpp>

#include <cstdint>
#include <optional>

namespace gantry::embedding {

class Breaker {
 public:
  struct Limits {
    std::int32_t failures = 3;  // in a row
    Duration cooldown = std::chrono::seconds(60);
  };
  /// A request that was let through; hands it back with how it went.
  using Ticket = std::uint64_t;

  void configure(Limits limits) { limits_ = limits; }

  /// Lets a request through, or not. After the cool-down one is let through to see; while it is
  /// under way nobody else is.
  [[nodiscard]] std::optional<Ticket> enter(std::int64_t now_ns);
  /// One that began before the failures that opened it does not close it again.
  void succeeded(Ticket ticket);
  void failed(Ticket ticket, std::int64_t now_ns);
  /// It has not become known how it went (the caller gave up).
  void abandoned(Ticket ticket);

  [[nodiscard]] bool is_open(std::int64_t now_ns) const { return open_ && now_ns < open_until_ns_; }
  [[nodiscard]] Duration left(std::int64_t now_ns) const {
    return Duration(is_open(now_ns) ? open_until_ns_ - now_ns : 0);
  }

 private:
  void open(std::int64_t now_ns);

  Limits limits_;
  std::int32_t failures_ = 0;
  bool open_ = false;
  bool probing_ = false;
  std::int64_t open_until_ns_ = 0;
  Ticket epoch_ = 1;  // changes when it opens and when it closes
};

}  // namespace gantry::embedding
