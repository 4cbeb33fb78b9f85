// SPDX-License-Identifier: Apache-2.0
#pragma once
// Where the engine asks the guard. Every tool passes twice: by name before it runs, and, when it
// acts, once more with the target that it resolved, so that a rule about an element holds however
// the element was named. What the guard refuses does not happen.

#include <gantry/contracts/window.hpp>

#include <string>
#include <vector>

#include "errors.hpp"
#include "task.hpp"

namespace gantry::observation {

struct ToolCall;

/// What an action is about to act on, as found at the moment of the act.
struct GateTarget {
  WindowInfo window;
  std::string element_id;  ///< Empty: no element is there (a click on bare ground).
  std::string selector;    ///< Canonical; the derived path when the element was named by id.
  std::string role;
  std::string name;
  Rect bounds;  ///< Of the element, else of the window.
  bool password = false;
};

class Gate {
 public:
  Gate() = default;
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;
  virtual ~Gate() = default;

  /// Allow-list and budgets. PermissionDenied, RateLimited, BudgetExceeded.
  virtual Task<Outcome<bool>> admit(const ToolCall& call) = 0;
  /// Rules about windows and elements, confirmations. PermissionDenied, ConfirmationRequired,
  /// ConfirmationInvalid. A list, because a drag has two ends.
  virtual Task<Outcome<bool>> admit_targets(const ToolCall& call,
                                            std::vector<GateTarget> targets) = 0;
};

}  // namespace gantry::observation
