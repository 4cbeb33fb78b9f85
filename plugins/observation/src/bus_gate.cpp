// SPDX-License-Identifier: Apache-2.0
#include "bus_gate.hpp"

#include <fmt/format.h>
#include <gantry/guard_presence.hpp>

#include <algorithm>
#include <array>

#include "guard_wire.hpp"
#include "tools.hpp"

namespace gantry::observation {
namespace {

constexpr std::string_view kCure = "enable the plugin guard, or set require_guard: false";

Failure refuses(const Error& error) {
  return failure(Fault::PermissionDenied,
                 "the guard could not be asked, so nothing was done: " + error.message,
                 {{"plugin", "guard"}, {"cure", "gantry doctor says what is wrong with it"}});
}

}  // namespace

template <CallContract C>
Task<Result<Ref<typename C::Response>>> BusGate::ask(typename C::Request request) {
  using Reply = Result<Ref<typename C::Response>>;
  co_return co_await completion<Reply>([this, &request](auto done) {
    CallOptions options;
    options.timeout = std::chrono::seconds(2);
    host_.bus().call<C>(std::move(request), std::move(done), options);
  });
}

void BusGate::take_rules(const GuardRules& rules) {
  if (rules_known_ && engine_->redaction.rules().version == rules.version) return;
  const Result<void> taken = engine_->take_rules(rules);
  rules_known_ = taken.ok();
  reads_are_free_ = rules_known_ && rules.reads_are_free;
  if (!taken.ok()) {
    host_.log().error("the guard's rules cannot be applied; every tool is refused",
                      {{"reason", taken.error().message}});
  }
}

bool BusGate::runs_unasked(const Tool& tool) const {
  return reads_are_free_ && tool.kind == ToolKind::Read;
}

Task<bool> BusGate::installed() {
  Nothing nothing;
  const auto plugins = co_await ask<KernelPlugins>(nothing);
  co_return guard_installed(plugins);
}

Task<Outcome<bool>> BusGate::know_rules() {
  if (rules_known_) co_return true;
  Nothing nothing;
  const auto rules = co_await ask<GuardGetRules>(nothing);
  if (rules.ok()) {
    take_rules(**rules);
    if (rules_known_) co_return true;
    co_return refuses(internal_error("its rules cannot be applied"));
  }
  const Error& error = rules.error();
  const bool there = error.code != Code::Unavailable || co_await installed();
  if (there) co_return refuses(error);
  co_return true;
}

Task<Outcome<bool>> BusGate::without_answer(const ToolCall& call, Error error) {
  const bool there = error.code != Code::Unavailable || co_await installed();
  if (there) co_return refuses(error);
  if (!call.tool.input() || !engine_->settings.require_guard) co_return true;
  co_return failure(
      Fault::PermissionDenied,
      fmt::format("{} acts, and nothing may act here without the plugin guard", call.tool.name),
      {{"plugin", "guard"}, {"cure", kCure}});
}

Task<Outcome<bool>> BusGate::judge(const ToolCall& call, GuardAdmitRequest request) {
  const auto answer = co_await ask<GuardAdmit>(std::move(request));
  if (!answer.ok()) {
    Error error = answer.error();
    co_return co_await without_answer(call, std::move(error));
  }
  const GuardVerdict& verdict = **answer;
  if (verdict.allowed) co_return true;
  co_return failure_of(verdict);
}

Task<Outcome<bool>> BusGate::admit(const ToolCall& call) {
  // What tells of the daemon must answer when the guard does not: it helps to find out why.
  const bool about = call.tool.kind == ToolKind::About;
  if (about && !call.tool.untrusted) co_return true;
  const Outcome<bool> known = co_await know_rules();
  if (!known.ok()) co_return known.failure();
  if (about || runs_unasked(call.tool)) co_return true;
  GuardAdmitRequest request = admit_request(call, GuardStage::Call);
  co_return co_await judge(call, std::move(request));
}

Task<Outcome<bool>> BusGate::admit_vision(const ToolCall& call) {
  GuardAdmitRequest request = admit_request(call, GuardStage::Call);
  request.call.clear();  // the place of the call itself is held already
  request.vision = true;
  co_return co_await judge(call, std::move(request));
}

Task<Outcome<bool>> BusGate::admit_targets(const ToolCall& call, std::vector<GateTarget> targets) {
  if (call.proposal != nullptr) {
    call.proposal->targets = std::move(targets);
    // Nothing may follow, not even by a tool that overlooked its dry run.
    co_return failure(Fault::ConfirmationRequired, "this is only a proposal");
  }
  GuardAdmitRequest request = admit_request(call, GuardStage::Targets);
  request.targets = guarded(*engine_, targets);
  co_return co_await judge(call, std::move(request));
}

Task<Outcome<GuardPromise>> BusGate::propose(const ToolCall& call,
                                             std::vector<GateTarget> targets) {
  GuardProposal proposal;
  proposal.tool = call.tool.name;
  proposal.needs = needed_tools(call.tool);
  proposal.session = session_of(call.caller);
  proposal.targets = guarded(*engine_, targets);
  proposal.arguments_digest = arguments_digest(call.arguments);
  const auto answer = co_await ask<GuardPropose>(std::move(proposal));
  if (answer.ok()) co_return GuardPromise(**answer);
  if (answer.error().code == Code::Unavailable) {
    co_return failure(Fault::PlatformUnsupported, "confirmations need the plugin guard",
                      {{"plugin", "guard"}, {"cure", kCure}});
  }
  co_return failure_from(answer.error());
}

void BusGate::settle(const Settlement& settlement) {
  const bool unasked = settlement.row != nullptr && runs_unasked(*settlement.row);
  if (unasked && !settlement.picture && settlement.vlm_tokens == 0) return;
  const ContextScope scope = host_.enter(undisturbed_);
  host_.bus().call<GuardSettle>(settle_request(settlement), [this](const auto& answer) {
    // Without a guard there is nothing to settle; a failure shows in the guard's own health.
    if (answer.ok()) budgets_ = **answer;
  });
}

Task<Outcome<GuardStatusReport>> BusGate::status() {
  Nothing nothing;
  const auto answer = co_await ask<GuardStatus>(nothing);
  if (answer.ok()) co_return GuardStatusReport(**answer);
  if (answer.error().code == Code::Unavailable) co_return GuardStatusReport();
  co_return failure_from(answer.error());
}

}  // namespace gantry::observation
