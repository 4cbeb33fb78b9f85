// SPDX-License-Identifier: Apache-2.0
#include <gantry/contracts/input.hpp>
#include <gantry/contracts/platform.hpp>
#include <gantry/contracts/screen.hpp>
#include <gantry/plugin.hpp>

#include <fmt/format.h>

#include <random>
#include <string>

#include "drawing.hpp"
#include "world.hpp"

namespace gantry::mock {
namespace {

constexpr std::string_view kNote = "Mock adapter — no real OS action performed";
constexpr int kSuitability = 1;  // works everywhere, but any real desktop is better

std::string make_nonce() { return fmt::format("{:08x}", std::random_device{}()); }

InputReceipt receipt_at(std::int32_t x, std::int32_t y) {
  InputReceipt receipt;
  receipt.delivered = true;
  receipt.route = "mock";
  receipt.x = x;
  receipt.y = y;
  receipt.note = kNote;
  return receipt;
}

class MockPlugin final : public Plugin {
 public:
  explicit MockPlugin(Host& host)
      : Plugin(host), world_(make_nonce()), picture_(draw_editor(world_.tree())) {}

  Result<void> init() override {
    Bus& bus = host().bus();
    GANTRY_TRY(bus.serve<ListWindows>(
        [this](const ListWindowsRequest&) -> Result<WindowList> { return world_.windows(); }));
    GANTRY_TRY(bus.serve<ActivateWindow>(
        [this](const ActivateWindowRequest& request) { return activate(request); }));
    GANTRY_TRY(bus.serve<ListMonitors>(
        [](const Nothing&) -> Result<MonitorList> { return MonitorList{}; }));
    GANTRY_TRY(bus.serve<CaptureScreen>(
        [this](const CaptureRequest& request) { return capture(request); }));
    GANTRY_TRY(
        bus.serve<GetA11yTree>([this](const A11yTreeRequest& request) { return tree(request); }));
    GANTRY_TRY(bus.serve<PointerInput>([](const PointerRequest& r) -> Result<InputReceipt> {
      return receipt_at(r.to_x.value_or(r.x.value_or(0)), r.to_y.value_or(r.y.value_or(0)));
    }));
    GANTRY_TRY(bus.serve<KeyInput>(
        [](const KeyRequest&) -> Result<InputReceipt> { return receipt_at(0, 0); }));
    GANTRY_TRY(bus.serve<TextInput>(
        [](const TextRequest&) -> Result<InputReceipt> { return receipt_at(0, 0); }));
    GANTRY_TRY(
        bus.serve<PlatformProbe>([](const Nothing&) -> Result<ProbeReport> { return probe(); }));
    bus.set_suitability(kSuitability, "a made-up desktop that needs no display");
    return {};
  }

 private:
  [[nodiscard]] Result<const WindowInfo*> window(std::string_view handle) const {
    if (const WindowInfo* found = world_.find(handle)) return found;
    return not_found(
        fmt::format("the mock desktop has no window '{}', only 1001, 1002 and 1003", handle));
  }

  [[nodiscard]] Result<ActivateWindowResult> activate(const ActivateWindowRequest& request) const {
    GANTRY_ASSIGN(const WindowInfo* found, window(request.handle));
    return ActivateWindowResult{found->focused, "mock", std::string(kNote)};
  }

  [[nodiscard]] Result<Capture> capture(const CaptureRequest& request) const {
    if (request.target == CaptureTarget::Window) GANTRY_TRY(window(request.handle));
    Capture out;
    out.serial = 1;
    out.route = "mock";
    out.unchanged = request.unless_serial == out.serial;
    if (!out.unchanged) out.image = picture_;
    out.area = {0, 0, picture_.width, picture_.height};
    return out;
  }

  [[nodiscard]] Result<A11yTree> tree(const A11yTreeRequest& request) const {
    GANTRY_ASSIGN(const WindowInfo* found, window(request.handle));
    A11yTree out = world_.tree();
    out.pid = found->pid;
    out.captured_at_ns = host().wall_ns();
    return out;
  }

  [[nodiscard]] static ProbeReport probe() {
    ProbeReport report;
    report.adapter = "MockAdapter";
    report.platform = "Linux";
    report.is_mock = true;
    report.score = kSuitability;
    report.reason = "a made-up desktop that needs no display";
    for (const char* ability : {"window.list", "window.activate", "monitor.list", "screen.capture",
                                "a11y.tree", "input.pointer", "input.key", "input.text"}) {
      report.capabilities.push_back({ability, true, "always the same answer", {}});
    }
    return report;
  }

  World world_;
  Image picture_;
};

}  // namespace
}  // namespace gantry::mock

GANTRY_PLUGIN(gantry::mock::MockPlugin, "mock", "0.1.0")
