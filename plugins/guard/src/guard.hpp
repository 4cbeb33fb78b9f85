// SPDX-License-Identifier: Apache-2.0
#pragma once
// The guard's judgement, without a bus: policy, budgets and confirmations in one place. Time comes
// in from outside. Used from one strand.

#include <gantry/contracts/guard.hpp>
#include <gantry/result.hpp>

#include <cstdint>
#include <optional>

#include "budgets.hpp"
#include "confirmations.hpp"
#include "policy.hpp"
#include "settings.hpp"
#include "target_rules.hpp"

namespace gantry::guard {

struct Now {
  std::int64_t monotonic_ns = 0;
  std::int64_t wall_ns = 0;
};

class Guard {
 public:
  explicit Guard(std::int64_t started_ns) : budgets_(started_ns) {}

  /// Takes over a configuration as a whole, or refuses it as a whole (InvalidArgument names the key
  /// of a pattern that does not compile) and keeps the one before.
  [[nodiscard]] Result<void> configure(const Settings& settings);

  [[nodiscard]] GuardVerdict admit(const GuardAdmitRequest& request, Now now);
  [[nodiscard]] Result<GuardPromise> propose(const GuardProposal& proposal, Now now);
  [[nodiscard]] GuardBudgets settle(const GuardSettleRequest& request, Now now);
  [[nodiscard]] const GuardRules& rules() const { return rules_; }
  [[nodiscard]] GuardStatusReport status(Now now) const;
  [[nodiscard]] const Settings& settings() const { return settings_; }

 private:
  Settings settings_;
  Policy policy_{ActionSettings{}};
  TargetRules denied_;
  Budgets budgets_;
  Confirmations confirmations_;
  GuardRules rules_;
};

}  // namespace gantry::guard
