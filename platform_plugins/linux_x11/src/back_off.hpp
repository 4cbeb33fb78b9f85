// SPDX-License-Identifier: Apache-2.0
//
// BackOff: when to try again after a failure. Pure; the caller brings the time.
#pragma once

#include <algorithm>
#include <cstdint>

namespace gantry::x11 {

class BackOff {
 public:
  BackOff(std::int64_t first_ns, std::int64_t longest_ns)
      : first_ns_(first_ns), longest_ns_(longest_ns), delay_ns_(first_ns) {}

  /// Notes a failure at `now_ns`; each one doubles the wait up to the longest.
  void failed(std::int64_t now_ns) {
    due_ns_ = now_ns + delay_ns_;
    delay_ns_ = std::min(delay_ns_ * 2, longest_ns_);
  }
  void succeeded() {
    delay_ns_ = first_ns_;
    due_ns_ = 0;
  }
  [[nodiscard]] bool due(std::int64_t now_ns) const { return now_ns >= due_ns_; }
  [[nodiscard]] std::int64_t due_ns() const { return due_ns_; }

 private:
  std::int64_t first_ns_;
  std::int64_t longest_ns_;
  std::int64_t delay_ns_;
  std::int64_t due_ns_ = 0;
};

}  // namespace gantry::x11
