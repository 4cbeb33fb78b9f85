// SPDX-License-Identifier: Apache-2.0
#pragma once
// What may still be done. Time comes in as monotonic nanoseconds.

#include <gantry/contracts/guard.hpp>

#include <cstdint>
#include <deque>
#include <map>
#include <string>

#include "settings.hpp"

namespace gantry::guard {

class Budgets {
 public:
  explicit Budgets(std::int64_t started_ns) : started_ns_(started_ns) {}

  /// What was used stays used.
  void set_limits(const BudgetSettings& limits) { limits_ = limits; }

  /// Whether one more call of this kind fits; if so, it holds a place under the name `call` until
  /// settle() names it, so that calls side by side cannot overdraw.
  [[nodiscard]] GuardVerdict admit(const GuardAdmitRequest& request, std::int64_t now_ns);
  void settle(const GuardSettleRequest& request, std::int64_t now_ns);

  [[nodiscard]] GuardBudgets report(std::int64_t now_ns) const;
  [[nodiscard]] bool picture_fits() const;

 private:
  struct Place {
    GuardKind kind;
    std::int64_t since_ns;
  };
  [[nodiscard]] std::int64_t held(GuardKind kind) const;
  [[nodiscard]] std::int64_t in_window(std::int64_t now_ns) const;
  [[nodiscard]] GuardVerdict judge_act(std::int64_t now_ns) const;
  void forget_abandoned(std::int64_t now_ns);

  std::int64_t started_ns_;
  BudgetSettings limits_;
  std::int64_t actions_ = 0;
  std::int64_t screenshots_ = 0;
  std::int64_t vlm_tokens_ = 0;
  std::deque<std::int64_t> acted_at_;  ///< Of the last 60 s, oldest first.
  std::map<std::string, Place> places_;
};

}  // namespace gantry::guard
