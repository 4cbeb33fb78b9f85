// SPDX-License-Identifier: Apache-2.0
#include "guard.hpp"

#include <algorithm>

namespace gantry::guard {
namespace {

constexpr const char* kPictureTool = "get_screenshot";
constexpr const char* kTargetDenied = "a rule of actions.deny_targets forbids acts on this target";

Result<void> check_redaction(const RedactionSettings& redaction) {
  GANTRY_TRY(check_patterns(redaction.window_title_patterns, "redaction.window_title_patterns"));
  GANTRY_TRY(check_patterns(redaction.element_name_patterns, "redaction.element_name_patterns"));
  GANTRY_TRY(check_patterns(redaction.element_role_patterns, "redaction.element_role_patterns"));
  return check_patterns(redaction.ocr_text_patterns, "redaction.ocr_text_patterns");
}

GuardRules rules_of(const Settings& settings, std::uint64_t version) {
  const RedactionSettings& redaction = settings.redaction;
  GuardRules rules;
  rules.version = version;
  rules.enabled = redaction.enabled;
  rules.window_title_patterns = redaction.window_title_patterns;
  rules.element_name_patterns = redaction.element_name_patterns;
  rules.element_role_patterns = redaction.element_role_patterns;
  rules.ocr_text_patterns = redaction.ocr_text_patterns;
  rules.replacement = redaction.replacement;
  rules.blur_screenshots = redaction.blur_screenshots;
  rules.max_text = settings.text.max_length;
  rules.judges_targets =
      !settings.actions.deny_targets.empty() || !settings.confirmation_required.empty();
  // A session that may end concerns reads too; the other budgets count acts, pictures and models.
  const bool listed = !settings.actions.allow.empty() || !settings.actions.deny.empty();
  rules.reads_are_free = !listed && !settings.actions.deny_by_default &&
                         !settings.budgets.max_session_seconds && !settings.audit.enabled;
  return rules;
}

}  // namespace

Result<void> Guard::configure(const Settings& settings) {
  GANTRY_TRY(check_redaction(settings.redaction));
  GANTRY_ASSIGN(TargetRules denied,
                TargetRules::compile(settings.actions.deny_targets, "actions.deny_targets"));
  GANTRY_ASSIGN(TargetRules confirmed,
                TargetRules::compile(settings.confirmation_required, "confirmation_required"));
  settings_ = settings;
  policy_ = Policy(settings.actions);
  denied_ = std::move(denied);
  budgets_.set_limits(settings.budgets);
  confirmations_.configure(std::move(confirmed), settings.confirmation);
  rules_ = rules_of(settings, rules_.version + 1);
  return {};
}

GuardVerdict Guard::admit(const GuardAdmitRequest& request, Now now) {
  // Both stages: what was denied between them must not happen either.
  GuardVerdict verdict = policy_.judge(request.tool, request.kind, request.needs);
  if (!verdict.allowed) return verdict;
  if (request.stage == GuardStage::Call) return budgets_.admit(request, now.monotonic_ns);
  const bool denied = std::any_of(request.targets.begin(), request.targets.end(),
                                  [this](const GuardedTarget& t) { return denied_.fit(t); });
  if (denied) {
    return refused("PermissionDenied", kTargetDenied);
  }
  return confirmations_.judge(request, now.monotonic_ns);
}

Result<GuardPromise> Guard::propose(const GuardProposal& proposal, Now now) {
  if (proposal.tool.empty()) return invalid_argument("no tool is proposed");
  if (proposal.targets.empty()) return invalid_argument("the proposed action has no target");
  const GuardVerdict verdict = policy_.judge(proposal.tool, GuardKind::Act, proposal.needs);
  if (!verdict.allowed) return Error{Code::PermissionDenied, verdict.message, {}};
  if (std::any_of(proposal.targets.begin(), proposal.targets.end(),
                  [this](const GuardedTarget& t) { return denied_.fit(t); })) {
    return Error{Code::PermissionDenied, kTargetDenied, {}};
  }
  GuardPromise promise = confirmations_.propose(proposal, now.monotonic_ns, now.wall_ns);
  promise.picture_allowed =
      budgets_.picture_fits() && policy_.judge(kPictureTool, GuardKind::Picture, {}).allowed;
  return promise;
}

GuardBudgets Guard::settle(const GuardSettleRequest& request, Now now) {
  budgets_.settle(request, now.monotonic_ns);
  confirmations_.settle(request.call);
  return budgets_.report(now.monotonic_ns);
}

GuardStatusReport Guard::status(Now now) const {
  GuardStatusReport report;
  report.budgets = budgets_.report(now.monotonic_ns);
  report.audit = settings_.audit.enabled;
  report.confirmation_rules = static_cast<std::int32_t>(confirmations_.rules());
  report.open_proposals = static_cast<std::int32_t>(confirmations_.open());
  return report;
}

}  // namespace gantry::guard
