// SPDX-License-Identifier: Apache-2.0
#pragma once
// A desktop whose answers a test sets. Every answer comes at once, so a tool has finished when
// run() returns.

#include <string>
#include <vector>

#include "observer.hpp"

namespace gantry::observation::tests {

class FakeDesktop final : public Desktop {
 public:
  FakeDesktop();

  Result<WindowList> window_list;
  Result<MonitorList> monitor_list = MonitorList{};
  Result<A11yTree> a11y_tree;
  Result<Capture> picture;
  Result<InputReceipt> receipt;
  Result<PluginInfoList> plugin_list = PluginInfoList{};

  std::vector<PointerRequest> pointer_requests;
  std::vector<KeyRequest> key_requests;
  std::vector<TextRequest> text_requests;
  std::vector<CaptureRequest> capture_requests;
  int tree_reads = 0;
  int offloads = 0;
  std::int64_t now_ns = 1'000'000'000;
  /// Happens while an input is delivered, for example a window that opens.
  std::function<void()> on_input = [] {};

  Task<Answer<WindowList>> windows() override;
  Task<Answer<MonitorList>> monitors() override;
  Task<Answer<A11yTree>> tree(A11yTreeRequest request) override;
  Task<Answer<Capture>> capture(CaptureRequest request) override;
  Task<Answer<InputReceipt>> pointer(PointerRequest request) override;
  Task<Answer<InputReceipt>> key(KeyRequest request) override;
  Task<Answer<InputReceipt>> type(TextRequest request) override;
  Task<Answer<PluginInfoList>> plugins() override;
  Task<Result<void>> offload(std::function<void()> work) override;
  [[nodiscard]] std::int64_t monotonic_ns() const override { return now_ns; }
  [[nodiscard]] std::int64_t wall_ns() const override { return now_ns; }
};

/// An observer on a fake desktop, and its answers as JSON text.
struct Bench {
  explicit Bench(const Settings& settings = {}) : observer(desktop, settings, "9.9.9") {}

  ObserverToolResult run(std::string tool, std::string arguments = "{}", bool plain = false);

  FakeDesktop desktop;
  Observer observer;
};

}  // namespace gantry::observation::tests
