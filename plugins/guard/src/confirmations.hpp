// SPDX-License-Identifier: Apache-2.0
#pragma once
// Acts that need a person's consent: rules that say which, and the tokens that prove it.

#include <gantry/contracts/guard.hpp>

#include <cstdint>
#include <list>
#include <set>
#include <string>

#include "settings.hpp"
#include "target_rules.hpp"

namespace gantry::guard {

class Confirmations {
 public:
  void configure(TargetRules rules, const ConfirmationSettings& settings);

  /// A token for exactly this act.
  [[nodiscard]] GuardPromise propose(const GuardProposal& proposal, std::int64_t now_ns,
                                     std::int64_t wall_ns);
  /// ConfirmationRequired when a rule fits a target and no token came; ConfirmationInvalid when the
  /// token is not one of this act. A token is used up by the attempt, right or wrong; only a dry
  /// run of the right act leaves it.
  /// What an accepted call reaches through its target (`part`) is confirmed with it, until the call
  /// has settled.
  [[nodiscard]] GuardVerdict judge(const GuardAdmitRequest& request, std::int64_t now_ns);
  void settle(const std::string& call) { accepted_.erase(call); }

  [[nodiscard]] std::size_t rules() const { return rules_.size(); }
  [[nodiscard]] std::size_t open() const { return promised_.size(); }

 private:
  static constexpr std::size_t kMaxOpen = 1000;

  struct Promise {
    std::string token;
    GuardProposal proposal;
    std::int64_t until_ns = 0;
  };
  [[nodiscard]] GuardVerdict compare(const GuardProposal& promised,
                                     const GuardAdmitRequest& request) const;
  void forget_expired(std::int64_t now_ns);

  TargetRules rules_;
  ConfirmationSettings settings_;
  std::list<Promise> promised_;     ///< Oldest first.
  std::set<std::string> accepted_;  ///< Calls under way that a token was used up for.
};

}  // namespace gantry::guard
