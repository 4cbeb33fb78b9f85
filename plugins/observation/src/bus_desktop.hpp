// SPDX-License-Identifier: Apache-2.0
#pragma once
// The desktop as the bus offers it.

#include <gantry/host.hpp>

#include "desktop.hpp"

namespace gantry::observation {

class BusDesktop final : public Desktop {
 public:
  explicit BusDesktop(Host& host) : host_(host) {}

  Task<Answer<WindowList>> windows() override;
  Task<Answer<MonitorList>> monitors() override;
  Task<Answer<A11yTree>> tree(A11yTreeRequest request) override;
  Task<Answer<Capture>> capture(CaptureRequest request) override;
  Task<Answer<InputReceipt>> pointer(PointerRequest request) override;
  Task<Answer<InputReceipt>> key(KeyRequest request) override;
  Task<Answer<InputReceipt>> type(TextRequest request) override;
  Task<Answer<PluginInfoList>> plugins() override;
  Task<Result<void>> offload(std::function<void()> work) override;

  [[nodiscard]] std::int64_t monotonic_ns() const override { return host_.monotonic_ns(); }
  [[nodiscard]] std::int64_t wall_ns() const override { return host_.wall_ns(); }

 private:
  template <CallContract C>
  Task<Answer<typename C::Response>> call(typename C::Request request);

  Host& host_;
};

}  // namespace gantry::observation
