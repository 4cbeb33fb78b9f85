// SPDX-License-Identifier: Apache-2.0
#pragma once
// What this plugin does itself and not through the observer: starting applications and the
// clipboard. The guard is asked as for everything else, and writes it into its audit.

#include <gantry/contracts/guard.hpp>
#include <gantry/task.hpp>

#include <optional>
#include <string>

#include "run.hpp"

namespace gantry::desk {

/// Rules about elements judge the target by its role ("Application", "Clipboard") and name.
struct Deed {
  std::string tool;
  GuardKind kind = GuardKind::Act;
  std::string role;
  std::string name;
  std::string id;        ///< Of the target, for rules: not empty.
  std::string details;   ///< Everything else that says what is done: a confirmation is bound to it.
  Json arguments{"{}"};  ///< As the caller sent them, for the audit.
  bool secret = false;   ///< What is written may be a secret.
};

/// Whether a guard belongs to this daemon: when it does not answer, nothing is read or done then.
Task<bool> is_guarded(Run& run);

/// Whether a model may be asked about a picture that `tool` of the observer has given: its tokens
/// are only known, and charged, afterwards. A used-up budget is BudgetExceeded.
Task<GuardVerdict> admit_model(Run& run, std::string tool);
/// Charges what a model has counted, as `locate` in the audit; nothing where it counted none.
void charge_model(Run& run, bool ok, std::string error_code, std::int32_t tokens);

class GuardedDeed {
 public:
  GuardedDeed(Run& run, Deed deed);

  /// Nothing: it is allowed, and settle() must follow. Otherwise the tool's answer, and it is
  /// settled.
  Task<std::optional<ToolResult>> admit();
  void settle(bool ok, std::string error_code, std::optional<bool> changed);

 private:
  [[nodiscard]] GuardAdmitRequest request(GuardStage stage, const std::string& token) const;
  /// After the guard asked for a confirmation.
  Task<GuardVerdict> confirm(GuardVerdict verdict);

  Run& run_;
  Deed deed_;
  std::string call_;
  std::vector<GuardedTarget> targets_;
  std::string digest_;
};

}  // namespace gantry::desk
