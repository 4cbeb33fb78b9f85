// SPDX-License-Identifier: Apache-2.0
#include <gantry/plugin.hpp>

#include "audit.hpp"
#include "audit_line.hpp"
#include "guard.hpp"

namespace gantry::guard {
namespace {

class GuardPlugin final : public Plugin {
 public:
  explicit GuardPlugin(Host& host) : Plugin(host), guard_(host.monotonic_ns()), audit_(host) {}

  Result<void> init() override {
    GANTRY_TRY(configure());
    Bus& bus = host().bus();
    GANTRY_TRY(
        bus.serve<GuardAdmit>([this](const GuardAdmitRequest& request) -> Result<GuardVerdict> {
          return admit(request);
        }));
    GANTRY_TRY(bus.serve<GuardPropose>(
        [this](const GuardProposal& proposal) { return guard_.propose(proposal, now()); }));
    GANTRY_TRY(
        bus.serve<GuardSettle>([this](const GuardSettleRequest& request) -> Result<GuardBudgets> {
          return settle(request);
        }));
    GANTRY_TRY(bus.serve<GuardGetRules>(
        [this](const Nothing&) -> Result<GuardRules> { return guard_.rules(); }));
    return bus.serve<GuardStatus>(
        [this](const Nothing&) -> Result<GuardStatusReport> { return guard_.status(now()); });
  }

  Result<void> start() override {
    announce();
    return {};
  }

  Result<void> reconfigure() override {
    GANTRY_TRY(configure());
    announce();
    return {};
  }

  void stop(Deadline) override { audit_.finish(); }

 private:
  Result<void> configure() {
    GANTRY_ASSIGN(const Settings settings, read_settings(host().config_json()));
    GANTRY_TRY(guard_.configure(settings));
    audit_.configure(settings.audit.enabled,
                     {settings.audit.path, settings.audit.max_bytes, settings.audit.backups});
    return {};
  }

  void announce() { host().bus().publish<GuardRulesChanged>(guard_.rules()); }

  GuardVerdict admit(const GuardAdmitRequest& request) {
    GuardVerdict verdict = guard_.admit(request, now());
    if (!verdict.allowed) refusals_.add();
    return verdict;
  }

  GuardBudgets settle(const GuardSettleRequest& request) {
    if (audit_.enabled()) {
      audit_.add(audit_line(request, guard_.settings().audit.redact_arg_keys, host().wall_ns()));
    }
    return guard_.settle(request, now());
  }

  [[nodiscard]] Now now() const { return {host().monotonic_ns(), host().wall_ns()}; }

  Guard guard_;
  Audit audit_;
  Metric refusals_ = host().counter("refusals_total", "Calls that the guard refused");
};

}  // namespace
}  // namespace gantry::guard

GANTRY_PLUGIN(gantry::guard::GuardPlugin, "guard", "0.1.0")
