// SPDX-License-Identifier: Apache-2.0
#include <gantry/plugin.hpp>

#include <memory>

#include "bus_desktop.hpp"
#include "observer.hpp"
#include "tool_schema.hpp"

namespace gantry::observation {
namespace {

constexpr const char* kVersion = "0.1.0";

class ObservationPlugin final : public Plugin {
 public:
  explicit ObservationPlugin(Host& host) : Plugin(host), desktop_(host) {}

  Result<void> init() override {
    GANTRY_ASSIGN(const Settings settings, read_settings(host().config_json()));
    observer_ = std::make_unique<Observer>(desktop_, settings, kVersion);
    GANTRY_TRY(host().bus().serve<ObserverTool>(
        [this](const Ref<ObserverToolRequest>& request, const CallInfo&,
               Reply<ObserverTool> reply) { run(request, std::move(reply)); }));
    GANTRY_TRY(host().bus().serve<ObserverTools>(
        [](const Nothing&) -> Result<ObserverToolNames> { return described_tools(); }));
    GANTRY_TRY(host().bus().serve<ObserverStatus>(
        [this](const Nothing&) -> Result<ObserverStatusReport> { return observer_->status(); }));
    GANTRY_ASSIGN(tree_changes_, host().bus().subscribe<A11yChanged>(
                                     [this](const A11yChangedEvent& event) {
                                       observer_->engine().trees.forget_process(event.pid);
                                     },
                                     {256, GANTRY_OVERFLOW_DROP_OLDEST, 0}));
    return {};
  }

  Result<void> start() override {
    // Learns which adapter answers, for health checks; its absence is no reason not to start.
    spawn(
        observer_->engine().directory.list(), [this](const Outcome<WindowsNow>&) { announce(); },
        [](const std::exception_ptr&) {});
    return {};
  }

  Result<void> reconfigure() override {
    GANTRY_ASSIGN(const Settings settings, read_settings(host().config_json()));
    observer_->reconfigure(settings);
    return {};
  }

 private:
  void run(const Ref<ObserverToolRequest>& request, Reply<ObserverTool> reply) {
    auto answer = std::make_shared<Reply<ObserverTool>>(std::move(reply));
    spawn(
        observer_->run(request),
        [this, answer](ObserverToolResult result) {
          (*answer)(std::move(result));
          announce();
        },
        [answer](const std::exception_ptr&) {
          answer->fail(Error{Code::ResourceExhausted, "the tool ran out of memory", {}});
        });
  }

  void announce() { host().bus().publish<ObserverStatusChanged>(observer_->status()); }

  BusDesktop desktop_;
  std::unique_ptr<Observer> observer_;
  Subscription tree_changes_;
};

}  // namespace
}  // namespace gantry::observation

GANTRY_PLUGIN(gantry::observation::ObservationPlugin, "observation", "0.1.0")
