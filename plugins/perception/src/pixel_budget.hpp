// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

namespace gantry::perception {

/// Counts the pixels of all pictures that are unpacked at the same time: a file of some kilobytes
/// can become hundreds of megabytes. Any thread.
class PixelBudget {
 public:
  /// Holds `pixels` until the last copy of what is returned is gone. Null when that would be more
  /// than `limit` in all; a picture alone is always let in.
  [[nodiscard]] std::shared_ptr<void> take(std::int64_t pixels, std::int64_t limit);
  [[nodiscard]] std::int64_t used() const { return *used_; }

 private:
  using Count = std::atomic<std::int64_t>;
  std::shared_ptr<Count> used_ = std::make_shared<Count>(0);  // pictures may outlive the plugin
};

}  // namespace gantry::perception
