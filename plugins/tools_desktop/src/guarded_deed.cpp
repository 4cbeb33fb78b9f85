// SPDX-License-Identifier: Apache-2.0
#include "guarded_deed.hpp"

#include <gantry/guard_presence.hpp>
#include <gantry/llm/json.hpp>

#include <openssl/evp.h>

#include <array>
#include <chrono>
#include <utility>

namespace gantry::desk {
namespace {

constexpr auto kGuardPatience = std::chrono::seconds(2);
constexpr std::string_view kHex = "0123456789abcdef";

std::string sha256(const std::string& text) {
  std::array<unsigned char, 32> bytes{};
  unsigned int size = 0;
  EVP_Digest(text.data(), text.size(), bytes.data(), &size, EVP_sha256(), nullptr);
  std::string out;
  for (const unsigned char byte : bytes) {
    out += kHex[byte >> 4U];
    out += kHex[byte & 15U];
  }
  return out;
}

GuardVerdict refusal(std::string message) {
  return {false, "PermissionDenied", std::move(message), Json("{}")};
}

CallOptions patient() {
  CallOptions options;
  options.timeout = kGuardPatience;
  return options;
}

ToolResult answer_of(const GuardVerdict& verdict) {
  boost::json::value context = llm::parse_or_null(verdict.context.text);
  return failed(verdict.code, verdict.message,
                context.is_object() ? std::move(context.get_object()) : boost::json::object());
}

Task<GuardVerdict> judged(Run& run, GuardAdmitRequest request) {
  const GuardKind kind = request.kind;
  CallOptions options = patient();
  const auto answer = co_await run.call<GuardAdmit>(std::move(request), std::move(options));
  if (answer.ok()) co_return GuardVerdict(**answer);
  const Error& error = answer.error();
  if (error.code == Code::Unavailable && kind != GuardKind::Act) {
    const bool guarded = co_await is_guarded(run);
    if (!guarded) co_return GuardVerdict{};
  }
  co_return refusal("the guard could not be asked, so nothing was done: " + error.message);
}

/// Also a call that was given up is told. Without a guard there is nothing to settle.
void tell_settled(Run& run, GuardSettleRequest request) {
  const ContextScope scope = run.desk().host.enter(run.desk().undisturbed);
  run.desk().host.bus().call<GuardSettle>(std::move(request), [](const auto&) {});
}

}  // namespace

Task<bool> is_guarded(Run& run) {
  CallOptions options = patient();
  Nothing nothing;
  const auto plugins = co_await run.call<KernelPlugins>(nothing, std::move(options));
  co_return guard_installed(plugins);
}

Task<GuardVerdict> admit_model(Run& run, std::string tool) {
  GuardAdmitRequest request;  // without a call: it is a part of one, whose place is held elsewhere
  request.tool = std::move(tool);
  request.caller = run.request().caller;
  request.session = run.request().caller;
  request.vision = true;
  co_return co_await judged(run, std::move(request));
}

void charge_model(Run& run, bool ok, std::string error_code, std::int32_t tokens) {
  if (tokens <= 0) return;
  GuardSettleRequest request;
  request.call = run.desk().host.name() + ":" + std::to_string(++run.desk().calls);
  request.tool = "locate";
  request.caller = run.request().caller;
  request.ok = ok;
  request.error_code = std::move(error_code);
  request.vlm_tokens = static_cast<std::uint32_t>(tokens);
  tell_settled(run, std::move(request));
}

GuardedDeed::GuardedDeed(Run& run, Deed deed)
    : run_(run),
      deed_(std::move(deed)),
      call_(run.desk().host.name() + ":" + std::to_string(++run.desk().calls)),
      digest_(sha256(deed_.tool + '\n' + deed_.id + '\n' + deed_.details)) {
  GuardedTarget target;
  target.element_id = deed_.id;
  target.selector = deed_.id;
  target.role = deed_.role;
  target.name = deed_.name;
  targets_.push_back(std::move(target));
}

GuardAdmitRequest GuardedDeed::request(GuardStage stage, const std::string& token) const {
  GuardAdmitRequest out;
  out.stage = stage;
  out.call = call_;
  out.tool = deed_.tool;
  out.kind = deed_.kind;
  out.caller = run_.request().caller;
  out.session = run_.request().caller;
  out.arguments_digest = digest_;
  out.confirm_token = token;
  if (stage == GuardStage::Targets) out.targets = targets_;
  return out;
}

Task<GuardVerdict> GuardedDeed::confirm(GuardVerdict verdict) {
  std::string why_not;
  std::string question = "May the assistant run " + deed_.tool + " on " + deed_.role + " '" +
                         deed_.name + "'? " + verdict.message;
  const bool allowed = co_await run_.consent(std::move(question), why_not);
  if (!allowed) {
    verdict.code = "ConfirmationDeclined";
    verdict.message = why_not + "; nothing was done";
    co_return verdict;
  }
  GuardProposal proposal;
  proposal.tool = deed_.tool;
  proposal.session = run_.request().caller;
  proposal.targets = targets_;
  proposal.arguments_digest = digest_;
  CallOptions options = patient();
  const auto promise = co_await run_.call<GuardPropose>(std::move(proposal), std::move(options));
  if (!promise.ok()) {
    co_return refusal("the guard gave no confirmation: " + promise.error().message);
  }
  GuardAdmitRequest again = request(GuardStage::Targets, (*promise)->confirm_token);
  co_return co_await judged(run_, std::move(again));
}

Task<std::optional<ToolResult>> GuardedDeed::admit() {
  GuardAdmitRequest first = request(GuardStage::Call, {});
  GuardVerdict verdict = co_await judged(run_, std::move(first));
  if (verdict.allowed && deed_.kind == GuardKind::Act) {
    GuardAdmitRequest second = request(GuardStage::Targets, {});
    verdict = co_await judged(run_, std::move(second));
    if (verdict.code == "ConfirmationRequired") {
      GuardVerdict asked = verdict;
      verdict = co_await confirm(std::move(asked));
    }
  }
  if (verdict.allowed) co_return std::nullopt;
  settle(false, verdict.code, std::nullopt);
  co_return answer_of(verdict);
}

void GuardedDeed::settle(bool ok, std::string error_code, std::optional<bool> changed) {
  GuardSettleRequest request;
  request.call = call_;
  request.tool = deed_.tool;
  request.kind = deed_.kind;
  request.caller = run_.request().caller;
  request.ok = ok;
  request.error_code = std::move(error_code);
  request.changed = changed;
  request.arguments = deed_.arguments;
  request.secret = deed_.secret;
  tell_settled(run_, std::move(request));
}

}  // namespace gantry::desk
