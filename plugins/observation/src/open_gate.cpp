// SPDX-License-Identifier: Apache-2.0
#include "gate.hpp"

namespace gantry::observation {
namespace {

class OpenGate final : public Gate {
 public:
  Task<Outcome<bool>> admit(const ToolCall&) override { co_return true; }
  Task<Outcome<bool>> admit_vision(const ToolCall&) override { co_return true; }
  Task<Outcome<bool>> admit_targets(const ToolCall&, std::vector<GateTarget>) override {
    co_return true;
  }
  void settle(const Settlement&) override {}
  Task<Outcome<GuardPromise>> propose(const ToolCall&, std::vector<GateTarget>) override {
    co_return failure(Fault::PlatformUnsupported, "confirmations need the plugin guard",
                      {{"plugin", "guard"}, {"cure", "enable the plugin guard"}});
  }
  Task<Outcome<GuardStatusReport>> status() override { co_return GuardStatusReport(); }
  Task<Outcome<bool>> know_rules() override { co_return true; }
  [[nodiscard]] const GuardBudgets& budgets() const override { return budgets_; }

 private:
  GuardBudgets budgets_;
};

}  // namespace

Gate& open_gate() {
  static OpenGate gate;
  return gate;
}

}  // namespace gantry::observation
