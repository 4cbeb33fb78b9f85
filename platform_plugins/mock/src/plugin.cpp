// SPDX-License-Identifier: Apache-2.0
#include <gantry/contracts/platform.hpp>
#include <gantry/plugin.hpp>

#include <fmt/format.h>

#include <random>
#include <string>

#include "mock_desktop.hpp"
#include "settings.hpp"

namespace gantry::mock {
namespace {

constexpr int kSuitability = 1;  // works everywhere, but any real desktop is better

std::string make_nonce() { return fmt::format("{:08x}", std::random_device{}()); }

ProbeReport probe() {
  ProbeReport report;
  report.adapter = "MockAdapter";
  report.platform = "Linux";
  report.is_mock = true;
  report.score = kSuitability;
  report.reason = "a made-up desktop that needs no display";
  for (const char* ability :
       {"window.list", "window.activate", "monitor.list", "screen.capture", "a11y.tree",
        "a11y.action", "input.pointer", "input.key", "input.text", "scenario.load"}) {
    report.capabilities.push_back({ability, true, "from memory", {}});
  }
  return report;
}

class MockPlugin final : public Plugin {
 public:
  explicit MockPlugin(Host& host) : Plugin(host), desktop_(make_nonce(), listener()) {}

  Result<void> init() override {
    GANTRY_ASSIGN(settings_, read_settings(host().config_json()));
    desktop_.limit_values(static_cast<std::size_t>(settings_.max_value_bytes));
    GANTRY_TRY(serve_desktop());
    Bus& bus = host().bus();
    GANTRY_TRY(bus.serve<LoadScenario>(
        [this](const Ref<LoadScenarioRequest>& request, const CallInfo&,
               Reply<LoadScenario> reply) { load(request->path, std::move(reply)); }));
    GANTRY_TRY(bus.serve<ScenarioState>(
        [this](const Nothing&) -> Result<ScenarioReport> { return desktop_.report(); }));
    GANTRY_TRY(
        bus.serve<PlatformProbe>([](const Nothing&) -> Result<ProbeReport> { return probe(); }));
    bus.set_suitability(kSuitability, "a made-up desktop that needs no display");
    return {};
  }

  /// A scenario that cannot be played is a reason not to start: its desktop would be another one.
  Result<void> start() override {
    if (settings_.scenario.empty()) return {};
    auto loaded = load_scenario_file(settings_.scenario, folders_of(settings_));
    if (auto* problem = std::get_if<ScenarioProblem>(&loaded)) return error_of(*problem);
    desktop_.load(std::move(std::get<Scenario>(loaded)));
    return {};
  }

 private:
  MockDesktop::Listener listener() {
    MockDesktop::Listener out;
    out.a11y = [this](const A11yChangedEvent& event) { host().bus().publish<A11yChanged>(event); };
    out.window = [this](const WindowChangedEvent& event) {
      host().bus().publish<WindowChanged>(event);
    };
    return out;
  }

  Result<void> serve_desktop() {
    Bus& bus = host().bus();
    GANTRY_TRY(bus.serve<ListWindows>(
        [this](const ListWindowsRequest&) -> Result<WindowList> { return desktop_.windows(); }));
    GANTRY_TRY(bus.serve<ActivateWindow>(
        [this](const ActivateWindowRequest& request) { return desktop_.activate(request); }));
    GANTRY_TRY(bus.serve<ListMonitors>(
        [](const Nothing&) -> Result<MonitorList> { return MonitorList{}; }));
    GANTRY_TRY(bus.serve<CaptureScreen>(
        [this](const CaptureRequest& request) { return desktop_.capture(request); }));
    GANTRY_TRY(bus.serve<GetA11yTree>([this](const A11yTreeRequest& request) {
      return desktop_.tree(request, host().wall_ns());
    }));
    GANTRY_TRY(bus.serve<A11yAction>(
        [this](const A11yActionRequest& request) { return desktop_.action(request); }));
    GANTRY_TRY(bus.serve<PointerInput>(
        [this](const PointerRequest& request) { return desktop_.pointer(request); }));
    GANTRY_TRY(
        bus.serve<KeyInput>([this](const KeyRequest& request) { return desktop_.key(request); }));
    return bus.serve<TextInput>(
        [this](const TextRequest& request) { return desktop_.type(request); });
  }

  void load(std::string path, Reply<LoadScenario> reply) {
    host().blocking([this, path = std::move(path), folders = folders_of(settings_),
                     reply = std::move(reply)]() mutable {
      auto loaded = load_scenario_file(path, folders);
      host().post([this, loaded = std::move(loaded), reply = std::move(reply)]() mutable {
        if (auto* problem = std::get_if<ScenarioProblem>(&loaded)) {
          return reply.fail(error_of(*problem));
        }
        reply(desktop_.load(std::move(std::get<Scenario>(loaded))));
      });
    });
  }

  Settings settings_;
  MockDesktop desktop_;
};

}  // namespace
}  // namespace gantry::mock

GANTRY_PLUGIN(gantry::mock::MockPlugin, "mock", "0.1.0")
