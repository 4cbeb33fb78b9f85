// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which tools may be used at all (published key `actions`).

#include <gantry/contracts/guard.hpp>

#include <set>
#include <string>
#include <vector>

#include "settings.hpp"

namespace gantry::guard {

/// Refusals in the contract's form.
[[nodiscard]] GuardVerdict refused(std::string_view code, std::string message,
                                   std::string context = "{}");

class Policy {
 public:
  explicit Policy(const ActionSettings& settings);

  /// Deny wins over everything, also when it names a tool that `tool` needs. Tools that tell of the
  /// daemon itself, and the list of windows, are always allowed: without them no refusal could be
  /// understood.
  [[nodiscard]] GuardVerdict judge(const std::string& tool, GuardKind kind,
                                   const std::vector<std::string>& needs) const;

 private:
  std::set<std::string> allow_;
  std::set<std::string> deny_;
  bool deny_by_default_;
};

}  // namespace gantry::guard
