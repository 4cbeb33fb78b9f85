// SPDX-License-Identifier: Apache-2.0
#include <gantry/plugin.hpp>

#include <gantry/contracts/http.hpp>

#include "listeners.hpp"
#include "settings.hpp"

namespace gantry::transport {
namespace {

class TransportPlugin final : public Plugin {
 public:
  using Plugin::Plugin;

  Result<void> init() override {
    GANTRY_ASSIGN(settings_, parse_settings(host().config_json()));
    listeners_ = std::make_unique<Listeners>(host(), settings_);
    Bus& bus = host().bus();
    GANTRY_TRY(bus.serve<HttpListen>(
        [this](const ListenRequest& wanted) { return listeners_->listen(wanted); }));
    GANTRY_TRY(bus.serve<HttpListeners>(
        [this](const Nothing&) -> Result<ListenerList> { return listeners_->list(); }));
    return bus.serve<HttpMount>([this](const MountRequest& wanted, const CallInfo& info) {
      return listeners_->mount(wanted, std::string(info.sender));
    });
  }

  Result<void> start() override {
    listeners_->start();
    return {};
  }

  void stop(Deadline deadline) override {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline.left(host().monotonic_ns()));
    listeners_->stop(std::min<std::int64_t>(settings_.stop_grace_ms, left.count() / 2));
  }

 private:
  Settings settings_;
  std::unique_ptr<Listeners> listeners_;
};

}  // namespace
}  // namespace gantry::transport

GANTRY_PLUGIN(gantry::transport::TransportPlugin, "transport", "0.1.0")
