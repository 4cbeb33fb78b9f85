// SPDX-License-Identifier: Apache-2.0
//
// What a protocol's configuration says about tools that nobody has allowed yet, as part of a
// turn's policy.
#pragma once

#include <gantry/contracts/turn.hpp>

#include <string>
#include <string_view>

namespace gantry {

/// By class of tools: allow, ask or deny.
struct ApprovalSettings {
  std::string act = "ask";
  std::string execute = "ask";
  std::string network = "allow";
};
BOOST_DESCRIBE_STRUCT(ApprovalSettings, (), (act, execute, network))

/// Anything else than `allow` and `deny` asks.
[[nodiscard]] inline ApprovalMode approval_mode(std::string_view word) {
  if (word == "allow") return ApprovalMode::Allow;
  return word == "deny" ? ApprovalMode::Deny : ApprovalMode::Ask;
}

/// `settings` has the members of ApprovalSettings.
template <class Settings>
void apply_approvals(const Settings& settings, ToolPolicy& policy) {
  policy.act = approval_mode(settings.act);
  policy.execute = approval_mode(settings.execute);
  policy.network = approval_mode(settings.network);
}

}  // namespace gantry
