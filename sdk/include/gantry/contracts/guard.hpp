// SPDX-License-Identifier: Apache-2.0
//
// The guard: who may do what, how often, on what, and what nobody gets to read. One guard serves
// every protocol. Whoever carries out a tool asks `admit` before it starts and, when it acts, once
// more with the targets that it has resolved; tells `settle` what came of it; and hides what
// `rules` says before any text or pixel leaves it.
#pragma once

#include <gantry/contracts/common.hpp>
#include <gantry/json.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gantry {

/// What kind of tool asks: the guard knows no tool by name.
///   About   tells of the daemon itself: always allowed
///   Read    reads the desktop, files, …
///   Picture reads pixels: counts as a screenshot
///   Act     acts on the world: counts as an action
///   Manage  changes the daemon's own state
///   Unknown no such tool, or its arguments could not be read: only for the audit
enum class GuardKind : std::uint8_t { About, Read, Picture, Act, Manage, Unknown };
BOOST_DESCRIBE_ENUM(GuardKind, About, Read, Picture, Act, Manage, Unknown)

enum class GuardStage : std::uint8_t {
  Call,     // before the tool runs: allow-list, budgets
  Targets,  // right before it acts: rules about windows and elements, confirmations
};
BOOST_DESCRIBE_ENUM(GuardStage, Call, Targets)

/// What an act is about to act on, as found at that moment, unredacted: rules are judged on what is
/// there, however the caller named it.
struct GuardedTarget {
  std::string window_uid;
  std::string window_title;
  std::string element_id;  // empty: no element is there
  std::string selector;    // canonical
  std::string role;
  std::string name;
  Rect bounds;  // of the element, else of the window; screen pixels
  bool password = false;
  /// Reached through the target before it and chosen by the arguments, such as an option of a list:
  /// rules judge it, and what was confirmed for the target before it is confirmed for it.
  bool part = false;
};
BOOST_DESCRIBE_STRUCT(GuardedTarget, (),
                      (window_uid, window_title, element_id, selector, role, name, bounds, password,
                       part))

struct GuardAdmitRequest {
  GuardStage stage = GuardStage::Call;
  std::string call;  // the caller's own number of this call, unique while it runs; as in settle
  std::string tool;
  GuardKind kind = GuardKind::Read;
  std::vector<std::string> needs;  // tools whose permission this one needs too, by name
  std::string caller;              // protocol and client, for the audit
  std::string session;             // whose confirmations count
  std::vector<GuardedTarget> targets;
  std::string arguments_digest;  // of everything that says what is done, see GuardPropose
  std::string confirm_token;
  bool dry_run = false;  // nothing will be done; everything else is judged the same
  bool vision = false;   // it will ask a vision model
};
BOOST_DESCRIBE_STRUCT(GuardAdmitRequest, (),
                      (stage, call, tool, kind, needs, caller, session, targets, arguments_digest,
                       confirm_token, dry_run, vision))

/// `code` is PermissionDenied, BudgetExceeded, RateLimited, ConfirmationRequired or
/// ConfirmationInvalid. `message` holds no text from the screen; `context` is a JSON object.
struct GuardVerdict {
  bool allowed = true;
  std::string code;
  std::string message;
  Json context{"{}"};
};
BOOST_DESCRIBE_STRUCT(GuardVerdict, (), (allowed, code, message, context))

/// A refusal is an answer, not an error. Whoever gets an error or no answer must not act. An
/// admitted call holds a place in the budgets until `settle` names it.
struct GuardAdmit {
  static constexpr std::string_view kName = "gantry.guard.admit/1";
  static constexpr std::string_view kDoc = "Says whether a tool may run, and act on its targets.";
  using Request = GuardAdmitRequest;
  using Response = GuardVerdict;
};

struct GuardProposal {
  std::string tool;
  std::vector<std::string> needs;
  std::string session;
  std::vector<GuardedTarget> targets;
  std::string arguments_digest;
};
BOOST_DESCRIBE_STRUCT(GuardProposal, (), (tool, needs, session, targets, arguments_digest))

/// `confirm_token` is "ct:" and 16 hexadecimal digits. It is good for one act: by the same tool, in
/// the same session, on the same targets (window, element, role, name, bounds within the configured
/// tolerance), with arguments of the same digest, until `expires_at` (seconds since the epoch).
struct GuardPromise {
  std::string confirm_token;
  double expires_at = 0;
  bool picture_allowed = true;  // a preview may be shown: allowed, and within the budget
};
BOOST_DESCRIBE_STRUCT(GuardPromise, (), (confirm_token, expires_at, picture_allowed))

/// Errors: invalid_argument (no tool or no target), permission_denied (the act itself is not
/// allowed). The oldest of 1000 outstanding tokens gives way.
struct GuardPropose {
  static constexpr std::string_view kName = "gantry.guard.propose/1";
  static constexpr std::string_view kDoc = "Gives out the confirmation token of one act.";
  using Request = GuardProposal;
  using Response = GuardPromise;
};

/// What came of a call, also of one that was refused or that no tool answers to.
struct GuardSettleRequest {
  std::string call;
  std::string tool;
  GuardKind kind = GuardKind::Read;
  std::string caller;
  std::int64_t step = 0;  // the protocol's number; 0: none
  bool ok = false;
  std::string error_code;
  std::optional<bool> changed;  // where the tool says so
  std::uint32_t screenshots = 0;
  std::uint32_t vlm_tokens = 0;
  Json arguments{"{}"};  // as the caller sent them; secrets are left out of the audit by key
  bool secret = false;   // what was typed (text, value, keys) is a secret, whatever the keys say
};
BOOST_DESCRIBE_STRUCT(GuardSettleRequest, (),
                      (call, tool, kind, caller, step, ok, error_code, changed, screenshots,
                       vlm_tokens, arguments, secret))

/// How far the budgets are used; `limit` is missing where there is none, and 0 is a real limit.
struct GuardBudget {
  std::int64_t used = 0;
  std::optional<std::int64_t> limit;
};
BOOST_DESCRIBE_STRUCT(GuardBudget, (), (used, limit))

struct GuardBudgets {
  bool configured = false;
  GuardBudget actions;
  GuardBudget screenshots;
  GuardBudget vlm_tokens;
  GuardBudget session_seconds;     // since the guard started
  GuardBudget actions_per_minute;  // in the last 60 s
};
BOOST_DESCRIBE_STRUCT(GuardBudgets, (),
                      (configured, actions, screenshots, vlm_tokens, session_seconds,
                       actions_per_minute))

/// Calls of one caller are counted in the order in which it settles them.
struct GuardSettle {
  static constexpr std::string_view kName = "gantry.guard.settle/1";
  static constexpr std::string_view kDoc = "Counts what a tool did and writes it to the audit log.";
  using Request = GuardSettleRequest;
  using Response = GuardBudgets;
};

/// What nobody gets to read. Patterns are Perl regular expressions over Unicode text, searched
/// anywhere; they compile. `version` grows with every change.
struct GuardRules {
  std::uint64_t version = 0;
  bool enabled = true;
  std::vector<std::string> window_title_patterns;
  std::vector<std::string> element_name_patterns;
  std::vector<std::string> element_role_patterns;
  std::vector<std::string> ocr_text_patterns;
  std::string replacement;
  bool blur_screenshots = false;  // also the pixels; those of password fields always
  std::int32_t max_text = 0;      // characters of one text from the screen
  bool judges_targets = false;    // some rule looks at windows or elements
  // No rule, budget or audit concerns a Read: whoever holds these rules may let it run without
  // asking, and need not settle it.
  bool reads_are_free = false;
};
BOOST_DESCRIBE_STRUCT(GuardRules, (),
                      (version, enabled, window_title_patterns, element_name_patterns,
                       element_role_patterns, ocr_text_patterns, replacement, blur_screenshots,
                       max_text, judges_targets, reads_are_free))

struct GuardGetRules {
  static constexpr std::string_view kName = "gantry.guard.rules/1";
  static constexpr std::string_view kDoc = "What must be hidden in everything that is shown.";
  using Request = Nothing;
  using Response = GuardRules;
};

/// Only the newest matters: subscribe with drop_oldest and room for one.
struct GuardRulesChanged {
  static constexpr std::string_view kName = "gantry.guard.rules_changed/1";
  static constexpr std::string_view kDoc = "The rules of the guard, when they have changed.";
  using Event = GuardRules;
};

struct GuardStatusReport {
  GuardBudgets budgets;
  bool audit = false;
  std::int32_t confirmation_rules = 0;
  std::int32_t open_proposals = 0;
};
BOOST_DESCRIBE_STRUCT(GuardStatusReport, (), (budgets, audit, confirmation_rules, open_proposals))

struct GuardStatus {
  static constexpr std::string_view kName = "gantry.guard.status/1";
  static constexpr std::string_view kDoc = "What is left of the budgets, and what is switched on.";
  using Request = Nothing;
  using Response = GuardStatusReport;
};

}  // namespace gantry
