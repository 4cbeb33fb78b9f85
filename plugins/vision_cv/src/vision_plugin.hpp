// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gantry/contracts/vision.hpp>
#include <gantry/plugin.hpp>

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>

#include "settings.hpp"

namespace gantry::vision_cv {

/// Serves what needs no model. The strand counts requests; pictures are worked on where waiting is
/// allowed.
class VisionPlugin final : public Plugin {
 public:
  using Plugin::Plugin;
  Result<void> init() override;
  Result<void> reconfigure() override;
  void stop(Deadline deadline) override;

 private:
  template <class Contract>
  using Work = std::function<Result<typename Contract::Response>(
      const typename Contract::Request&, std::int64_t, const std::function<bool()>&)>;
  template <class Contract>
  Result<void> serve(Work<Contract> work);
  /// Whether there is room for one more; then it counts.
  bool begin();
  void end();

  Settings settings_;
  std::mutex mutex_;
  std::condition_variable ended_;
  std::int32_t under_way_ = 0;  // with the lock
  bool stopping_ = false;       // with the lock
  Metric requests_;
  Metric seconds_;
};

}  // namespace gantry::vision_cv
