// SPDX-License-Identifier: Apache-2.0
#pragma once
// The guard as the bus offers it. What cannot be asked is refused: a guard that fails, is late or
// not running lets nothing through. Only where none is installed may the desktop be read, and with
// require_guard: false acted on.

#include <gantry/contracts/guard.hpp>
#include <gantry/host.hpp>

#include "gate.hpp"

namespace gantry::observation {

class BusGate final : public Gate {
 public:
  explicit BusGate(Host& host) : host_(host), undisturbed_(host.context()) {}

  /// The engine whose redaction follows the guard's rules; before the first call.
  void attach(Engine& engine) { engine_ = &engine; }
  void take_rules(const GuardRules& rules);

  Task<Outcome<bool>> admit(const ToolCall& call) override;
  Task<Outcome<bool>> admit_vision(const ToolCall& call) override;
  Task<Outcome<bool>> admit_targets(const ToolCall& call, std::vector<GateTarget> targets) override;
  void settle(const Settlement& settlement) override;
  Task<Outcome<GuardPromise>> propose(const ToolCall& call,
                                      std::vector<GateTarget> targets) override;
  Task<Outcome<GuardStatusReport>> status() override;
  Task<Outcome<bool>> know_rules() override;
  [[nodiscard]] const GuardBudgets& budgets() const override { return budgets_; }

 private:
  template <CallContract C>
  Task<Result<Ref<typename C::Response>>> ask(typename C::Request request);
  /// A plain read that no rule, budget or audit concerns: two hops to the guard are saved.
  [[nodiscard]] bool runs_unasked(const Tool& tool) const;
  /// Whether this installation has a guard, running or not.
  Task<bool> installed();
  Task<Outcome<bool>> judge(const ToolCall& call, GuardAdmitRequest request);
  /// What holds for a call when the guard gave no answer.
  Task<Outcome<bool>> without_answer(const ToolCall& call, Error error);

  Host& host_;
  Context undisturbed_;  ///< The plugin's own: what was done is settled, whoever gives up.
  Engine* engine_ = nullptr;
  bool rules_known_ = false;
  bool reads_are_free_ = false;
  GuardBudgets budgets_;
};

}  // namespace gantry::observation
