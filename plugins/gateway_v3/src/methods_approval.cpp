// SPDX-License-Identifier: Apache-2.0
// Tools that wait for a yes.
#include <gantry/contracts/approval.hpp>

#include <utility>

#include "call.hpp"
#include "session_keys.hpp"

namespace gantry::gateway {
namespace {

namespace json = boost::json;

/// Whose question it is that the caller may answer: its own, or for administrators anybody's. The
/// engine knows; this gateway may be younger than the question.
Task<Result<std::string>> asked_of(CallPtr call, std::string id) {
  for (const std::string& principal : seen_principals(*call)) {
    ApprovalListRequest request;
    request.principal = principal;
    const auto open = co_await ask<ApprovalList>(call->host(), std::move(request));
    if (!open.ok()) co_return open.error();
    for (const Approval& approval : (*open)->approvals) {
      if (approval.id == id) co_return principal;
    }
  }
  co_return not_found("approval not found: " + id);
}

Task<Answer> decide(CallPtr call, Decision decision, std::string word) {
  const std::string id = text(call->params(), "id");
  if (id.empty()) co_return refused(wire::kInvalidRequest, "id is required");
  auto asking = asked_of(call, id);
  const Result<std::string> principal = co_await std::move(asking);
  if (!principal.ok()) co_return failed(principal.error());
  ApprovalAnswerRequest request;
  request.principal = *principal;
  request.id = id;
  request.decision = decision;
  request.by = "gateway_v3:" + call->who.user;
  const auto answered = co_await ask<ApprovalAnswer>(call->host(), std::move(request));
  if (!answered.ok() && answered.error().code == Code::NotFound) {
    co_return refused(wire::kNotFound, "approval not found: " + id);
  }
  if (!answered.ok()) co_return failed(answered.error());
  co_return fine(json::object{{"resolved", true}, {"decision", word}});
}

}  // namespace

Task<Answer> approval_list(CallPtr call) {
  json::array pending;
  const std::string usual = call->server.agents().usual()->key;
  for (const std::string& principal : seen_principals(*call)) {
    ApprovalListRequest request;
    request.principal = principal;
    const auto open = co_await ask<ApprovalList>(call->host(), std::move(request));
    if (!open.ok()) co_return failed(open.error());
    for (const Approval& approval : (*open)->approvals) {
      const std::string key = wire_key(approval.session, usual);
      const std::string agent = parts_of(key).agent;
      pending.push_back(approval_row(approval, key, agent.empty() ? usual : agent));
    }
  }
  co_return fine(json::object{{"pending", std::move(pending)}});
}

Task<Answer> approval_approve(CallPtr call) {
  const bool always = flag(call->params(), "always").value_or(false);
  return decide(std::move(call), always ? Decision::AllowAlways : Decision::Allow,
                always ? "allow-always" : "allow-once");
}

Task<Answer> approval_deny(CallPtr call) { return decide(std::move(call), Decision::Deny, "deny"); }

}  // namespace gantry::gateway
