// SPDX-License-Identifier: Apache-2.0
#include <gantry/http/watch.hpp>

#include <algorithm>
#include <chrono>
#include <string_view>

namespace gantry::http {

/// Looks again when the present phase would be over its limit; time that was used well moves that.
void PhaseWatch::look() {
  Duration limit = limits_.idle;
  std::string_view name = "idle";
  switch (exchange_->phase()) {
    case HttpPhase::Idle:
    case HttpPhase::Connect: limit = limits_.connect, name = "connect"; break;
    case HttpPhase::FirstByte: limit = limits_.first_byte, name = "first_byte"; break;
    default: break;
  }
  const Duration left(touched_ns_.load(std::memory_order_acquire) + limit.count() -
                      host_.monotonic_ns());
  if (left <= Duration(0)) {
    late_ = name;
    exchange_->abort();
    return;
  }
  // A phase with a short limit may follow one with a long limit, so nobody sleeps through it.
  const Duration shortest = std::min({limits_.connect, limits_.first_byte, limits_.idle});
  timer_ = host_.after(std::min(left, std::max(shortest, Duration(std::chrono::milliseconds(10)))),
                       [weak = weak_from_this()] {
                         const auto self = weak.lock();
                         if (self && !self->over_) self->look();
                       });
}

}  // namespace gantry::http
