// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>

namespace gantry::transport {

/// Where deadlines get their time from; tests bring their own. Any thread.
class Clock {
 public:
  virtual ~Clock() = default;
  /// Milliseconds that never go back.
  virtual int64_t now_ms() const = 0;
};

class SteadyClock final : public Clock {
 public:
  int64_t now_ms() const override {
    return std::chrono::duration_cast<std::chrono::milliseconds>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
  }
};

}  // namespace gantry::transport
