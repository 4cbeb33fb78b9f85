// SPDX-License-Identifier: Apache-2.0
#include "policy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace gantry::guard {
namespace {

constexpr std::array<std::string_view, 7> kAlways{
    "get_capabilities", "get_monitors",  "get_budget_status", "get_redaction_status",
    "trace_status",     "replay_status", "list_windows"};

bool always_allowed(const std::string& tool, GuardKind kind) {
  return kind == GuardKind::About ||
         std::find(kAlways.begin(), kAlways.end(), tool) != kAlways.end();
}

GuardVerdict denied(std::string message) { return refused("PermissionDenied", std::move(message)); }

}  // namespace

GuardVerdict refused(std::string_view code, std::string message, std::string context) {
  return {false, std::string(code), std::move(message), Json(std::move(context))};
}

Policy::Policy(const ActionSettings& settings)
    : allow_(settings.allow.begin(), settings.allow.end()),
      deny_(settings.deny.begin(), settings.deny.end()),
      deny_by_default_(settings.deny_by_default) {}

GuardVerdict Policy::judge(const std::string& tool, GuardKind kind,
                           const std::vector<std::string>& needs) const {
  if (always_allowed(tool, kind)) return {};
  if (deny_.contains(tool)) return denied(fmt::format("tool '{}' is in actions.deny", tool));
  for (const std::string& needed : needs) {
    if (!deny_.contains(needed)) continue;
    return denied(fmt::format("tool '{}' needs '{}', and that is in actions.deny", tool, needed));
  }
  if (!deny_by_default_ || allow_.contains(tool)) return {};
  if (!allow_.empty()) return denied(fmt::format("tool '{}' is not in actions.allow", tool));
  return denied(fmt::format("actions.default is 'deny' and no allowlist matches '{}'", tool));
}

}  // namespace gantry::guard
