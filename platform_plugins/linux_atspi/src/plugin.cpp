// SPDX-License-Identifier: Apache-2.0
// Wires the AT-SPI client to the bus contracts.
#include "client.hpp"
#include "convert.hpp"
#include "settings.hpp"

#include <gantry/plugin.hpp>

#include <unistd.h>

#include <algorithm>
#include <memory>
#include <utility>

namespace gantry::atspi {
namespace {

template <CallContract C>
std::shared_ptr<Reply<C>> shared(Reply<C> reply) {
  return std::make_shared<Reply<C>>(std::move(reply));
}

class AtspiPlugin final : public Plugin {
 public:
  using Plugin::Plugin;

  Result<void> init() override {
    GANTRY_ASSIGN(config_, parse_settings(host().config_json()));
    config_.excluded_pids = {static_cast<std::uint32_t>(getpid())};
    GANTRY_TRY(host().bus().serve<GetA11yTree>(
        [this](const Ref<A11yTreeRequest>& request, const CallInfo& info,
               Reply<GetA11yTree> reply) { read_tree(*request, info, std::move(reply)); }));
    GANTRY_TRY(host().bus().serve<A11yAction>(
        [this](const Ref<A11yActionRequest>& request, const CallInfo&, Reply<A11yAction> reply) {
          act(*request, std::move(reply));
        }));
    return host().bus().serve<PlatformProbe>(
        [this](const Ref<Nothing>&, const CallInfo&, Reply<PlatformProbe> reply) {
          probe(std::move(reply));
        });
  }

  Result<void> start() override {
    Client::Callbacks callbacks;
    callbacks.changed = [this](const Change& change) {
      host().bus().publish<A11yChanged>(to_contract(change), {GANTRY_LANE_BULK, change.pid});
    };
    callbacks.status = [this](const BusStatus& status) { on_status(status); };
    client_ = std::make_unique<Client>(config_, SessionEnvironment::of_this_process(),
                                       std::move(callbacks));
    return {};
  }

  void stop(Deadline) override { client_.reset(); }

 private:
  void on_status(const BusStatus& status) {
    if (status.up) {
      host().healthy("accessibility_bus");
      host().bus().set_suitability(kSuitability,
                                   "accessibility bus found through " + status.source);
      host().log().info("accessibility bus is up", {{"source", status.source}});
      return;
    }
    host().degraded("accessibility_bus", status.reason, status.cure);
    host().bus().set_suitability(0, status.reason);
    host().log().warn("accessibility bus is down", {{"reason", status.reason}});
  }

  /// The client, or the answer that there is none (before start, after stop).
  template <CallContract C>
  bool ready(Reply<C>& reply) const {
    if (client_) return true;
    reply.fail(unavailable("the accessibility adapter is not running"));
    return false;
  }

  void read_tree(const A11yTreeRequest& request, const CallInfo& info, Reply<GetA11yTree> reply) {
    if (!ready(reply)) return;
    ReadOptions options;
    options.budget = milliseconds(std::max(request.budget_ms, 0));
    if (!info.deadline.never()) {
      // A partial tree before the deadline beats a complete one after it.
      const auto left =
          std::chrono::duration_cast<milliseconds>(info.deadline.left(host().monotonic_ns())) * 9 /
          10;
      if (options.budget.count() == 0 || left < options.budget) options.budget = left;
      if (options.budget.count() == 0) options.budget = milliseconds(1);
    }
    options.max_nodes = static_cast<std::size_t>(std::max(request.max_nodes, 0));
    client_->read_tree(to_hint(request), options,
                       [answer = shared(std::move(reply)), request](auto result) {
                         if (!result) return answer->fail(result.error());
                         (*answer)(to_contract(**result, request));
                       });
  }

  void act(const A11yActionRequest& request, Reply<A11yAction> reply) {
    if (!ready(reply)) return;
    auto action = to_act(request, config_.max_text);
    if (!action) return reply.fail(action.error());
    client_->act(std::move(action).value(),
                 [answer = shared(std::move(reply))](Result<Acted> acted) {
                   if (!acted) return answer->fail(acted.error());
                   (*answer)(to_contract(*acted));
                 });
  }

  void probe(Reply<PlatformProbe> reply) {
    if (!ready(reply)) return;
    client_->probe([answer = shared(std::move(reply))](const BusStatus& status) {
      (*answer)(to_report(status));
    });
  }

  AtspiConfig config_;
  std::unique_ptr<Client> client_;
};

}  // namespace
}  // namespace gantry::atspi

GANTRY_PLUGIN(gantry::atspi::AtspiPlugin, "linux_atspi", "0.1.0")
