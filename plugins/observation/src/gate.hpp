// SPDX-License-Identifier: Apache-2.0
#pragma once
// Where the engine asks the guard. Every tool passes twice: by name before it runs, and, when it
// acts, once more with the target that it resolved, so that a rule about an element holds however
// the element was named. What the guard refuses does not happen.

#include <gantry/contracts/guard.hpp>
#include <gantry/contracts/window.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "errors.hpp"
#include "task.hpp"

namespace gantry::observation {

struct Engine;
struct Tool;
struct ToolCall;

/// What an action is about to act on, as found at the moment of the act.
struct GateTarget {
  WindowInfo window;
  std::string element_id;  ///< Empty: no element is there (a click on bare ground).
  std::string selector;    ///< Canonical; the derived path when the element was named by id.
  std::string path;        ///< The derived path, whatever named the element; a person is shown it.
  std::string role;
  std::string name;  ///< As the application says it, also when clients see it redacted.
  Rect bounds;       ///< Of the element, else of the window.
  bool password = false;
  bool hidden = false;  ///< Clients see it redacted.
  bool part = false;    ///< Reached through the target before it, as the arguments name it.
};

/// What came of a call, for budgets and audit.
struct Settlement {
  std::uint64_t serial = 0;  ///< As in the call.
  std::string tool;
  const Tool* row = nullptr;  ///< nullptr: there is no such tool.
  std::string caller;
  std::int64_t step = 0;
  bool ok = false;
  std::string error_code;
  std::optional<bool> changed;
  std::uint32_t vlm_tokens = 0;  ///< That a vision model counted for it.
  bool picture = false;          ///< Pixels of the screen were given out.
  std::string arguments = "{}";  ///< As they came; strings without what is hidden here.
  /// Whether the act's target is a password field or hidden, so that what was typed is a secret.
  /// Nothing when the target was never found.
  std::optional<bool> secret;
  /// Parts of arguments ("predicates[0]") whose expectations were compared with what anybody may
  /// read; what other parts expect is a secret. "predicates[0].selector": the same of the values
  /// that its selector asks for.
  std::vector<std::string> readable;
  /// Whether the call's own selectors found what anybody may read. Values by which others were
  /// looked for are secrets: they may have been meant for a password field.
  [[nodiscard]] bool found() const { return ok ? !secret.value_or(false) : secret == false; }
};

class Gate {
 public:
  Gate() = default;
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;
  virtual ~Gate() = default;

  /// Allow-list and budgets. PermissionDenied, RateLimited, BudgetExceeded.
  virtual Task<Outcome<bool>> admit(const ToolCall& call) = 0;
  /// Whether the call may ask a vision model, whose tokens its settlement tells. BudgetExceeded.
  virtual Task<Outcome<bool>> admit_vision(const ToolCall& call) = 0;
  /// Rules about windows and elements, confirmations. PermissionDenied, ConfirmationRequired,
  /// ConfirmationInvalid. A list, because a drag has two ends.
  virtual Task<Outcome<bool>> admit_targets(const ToolCall& call,
                                            std::vector<GateTarget> targets) = 0;
  /// Every call that came ends here, also one that was refused.
  virtual void settle(const Settlement& settlement) = 0;
  /// A confirmation token for a call with these targets.
  virtual Task<Outcome<GuardPromise>> propose(const ToolCall& call,
                                              std::vector<GateTarget> targets) = 0;
  virtual Task<Outcome<GuardStatusReport>> status() = 0;
  /// The engine's redaction follows the guard's rules from here on. PermissionDenied: they cannot
  /// be had or not be applied.
  virtual Task<Outcome<bool>> know_rules() = 0;
  /// The budgets as the last settlement left them.
  [[nodiscard]] virtual const GuardBudgets& budgets() const = 0;
};

/// Lets everything through: what an engine without a guard uses.
[[nodiscard]] Gate& open_gate();

}  // namespace gantry::observation
