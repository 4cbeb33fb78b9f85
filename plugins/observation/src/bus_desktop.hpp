// SPDX-License-Identifier: Apache-2.0
#pragma once
// The desktop as the bus offers it.

#include <gantry/host.hpp>

#include <algorithm>
#include <cstddef>
#include <map>
#include <thread>

#include "desktop.hpp"
#include "job_queue.hpp"

namespace gantry::observation {

class BusDesktop final : public Desktop {
 public:
  explicit BusDesktop(Host& host) : host_(host), undisturbed_(host.context()) {}

  Task<Answer<WindowList>> windows() override;
  Task<Answer<WindowList>> all_windows() override;
  Task<Answer<ActivateWindowResult>> activate(ActivateWindowRequest request) override;
  Task<Answer<MonitorList>> monitors() override;
  Task<Answer<A11yTree>> tree(A11yTreeRequest request) override;
  Task<Answer<Capture>> capture(CaptureRequest request) override;
  Task<Answer<OcrResult>> read_text(OcrRequest request) override;
  Task<Answer<VisionDetectResult>> detect(VisionDetectRequest request) override;
  Task<Answer<VisionDescription>> describe(VisionDescribeRequest request,
                                           std::int64_t limit_ns) override;
  Task<Answer<A11yActionResult>> act(A11yActionRequest request) override;
  Task<Answer<InputReceipt>> pointer(PointerRequest request) override;
  Task<Answer<InputReceipt>> key(KeyRequest request) override;
  Task<Answer<InputReceipt>> type(TextRequest request) override;
  Task<Answer<PluginInfoList>> plugins() override;
  Task<Answer<ScenarioReport>> load_scenario(LoadScenarioRequest request) override;
  Task<Answer<ScenarioReport>> scenario() override;
  Task<Result<void>> offload(std::function<void()> work) override;
  std::uint64_t start_timer(std::int64_t delay_ns, std::function<void()> work) override;
  void forget_timer(std::uint64_t timer) override { timers_.erase(timer); }

  [[nodiscard]] std::int64_t monotonic_ns() const override { return host_.monotonic_ns(); }
  [[nodiscard]] std::int64_t wall_ns() const override { return host_.wall_ns(); }

 private:
  template <CallContract C>
  Task<Answer<typename C::Response>> call(typename C::Request request);
  template <CallContract C>
  Task<Answer<typename C::Response>> call_through(typename C::Request request);
  template <CallContract C>
  Task<Answer<typename C::Response>> input(typename C::Request request);

  Host& host_;
  JobQueue offloads_{std::max<std::size_t>(2, std::thread::hardware_concurrency())};
  Context undisturbed_;  ///< The plugin's own: without a caller who could give up.
  std::map<std::uint64_t, Timer> timers_;
  std::uint64_t last_timer_ = 0;
};

}  // namespace gantry::observation
