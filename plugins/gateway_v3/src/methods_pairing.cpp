// SPDX-License-Identifier: Apache-2.0
// Devices that ask to be let in, and keys for programs.
#include <gantry/contracts/identity.hpp>

#include <utility>

#include "call.hpp"
#include "pairing.hpp"
#include "pairing_rows.hpp"
#include "text.hpp"

namespace gantry::gateway {
namespace {

namespace json = boost::json;

std::string code_of(const Call& call) {
  return text(call.params(), {"code", "pairing_code", "pairingCode"});
}

json::object key_row(const CredentialInfo& info) {
  json::array scopes;
  for (const std::string& role : info.roles) scopes.push_back(json::value(role));
  json::object row{{"id", info.credential_id}, {"name", info.label},
                   {"owner_id", info.subject}, {"created_at", info.created_ms},
                   {"revoked", info.revoked},  {"last_used_at", info.last_seen_ms}};
  row["scopes"] = std::move(scopes);
  row["expires_at"] = info.expires_ms ? json::value(*info.expires_ms) : json::value(nullptr);
  return row;
}

}  // namespace

Task<Answer> pairing_status(CallPtr call) {
  const std::string address = address_of(call->connection->peer());
  if (!call->server.poll_rate().take("pairing:" + address, call->host().monotonic_ns())) {
    co_return refused(wire::kResourceExhausted, "rate limited");
  }
  std::string sender = text(call->params(), {"sender_id", "senderId"});
  // Older clients ask without saying whom they mean: themselves.
  if (sender.empty() && call->who.role == Role::None) sender = call->connection->id();
  if (sender.empty()) co_return refused(wire::kInvalidRequest, "sender_id is required");
  if (!is_sender(sender)) co_return refused(wire::kInvalidRequest, "invalid sender_id format");
  const bool approved = call->server.devices().find(kBrowser, sender) != nullptr;
  const bool pending = call->server.devices().is_pending(kBrowser, sender);
  co_return fine(json::object{{"status", approved ? "approved" : (pending ? "pending" : "expired")},
                              {"approved", approved}});
}

Task<Answer> pair_request(CallPtr call) {
  PairingRequest request;
  request.sender = text(call->params(), {"senderId", "sender_id"});
  request.channel = text(call->params(), "channel");
  request.chat = text(call->params(), {"chatId", "chat_id"});
  request.account = text(call->params(), {"accountId", "account_id"});
  if (request.account.empty()) request.account = "default";
  if (request.sender.empty() || request.channel.empty()) {
    co_return refused(wire::kInvalidRequest, "senderId and channel are required");
  }
  if (!is_sender(request.sender) || !is_sender(request.channel)) {
    co_return refused(wire::kInvalidRequest, "invalid sender_id format");
  }
  request.user = call->who.user;
  request.address = "user:" + call->who.user;
  auto asking = call->server.devices().ask(std::move(request));
  const Result<PairingRequest> asked = co_await std::move(asking);
  if (!asked.ok()) co_return failed(asked.error());
  call->server.tell_admins("device.pair.requested", json::object{{"code", asked->code},
                                                                 {"sender_id", asked->sender},
                                                                 {"channel", asked->channel},
                                                                 {"chat_id", asked->chat}});
  co_return fine(json::object{{"code", asked->code}});
}

Task<Answer> pair_approve(CallPtr call) {
  const std::string code = code_of(*call);
  if (code.empty()) co_return refused(wire::kInvalidRequest, "code is required");
  const std::string who = call->who.user.empty() ? call->connection->id() : call->who.user;
  const std::int64_t now = call->host().monotonic_ns();
  if (!call->server.code_attempts().has(who, now)) {
    co_return refused(wire::kResourceExhausted, "too many wrong codes; wait a minute");
  }
  std::string by = text(call->params(), {"approvedBy", "approved_by"});
  if (by.empty()) by = call->who.user.empty() ? "operator" : call->who.user;
  auto approving = call->server.devices().approve(code, std::move(by));
  const Result<Device> device = co_await std::move(approving);
  if (!device.ok()) {
    if (device.error().code == Code::NotFound) (void)call->server.code_attempts().take(who, now);
    co_return failed(device.error());
  }
  call->server.tell_admins("device.pair.resolved", json::object{{"action", "approved"}});
  co_return fine(json::object{{"paired", device_row(*device)}});
}

Task<Answer> pair_deny(CallPtr call) {
  const std::string code = code_of(*call);
  if (code.empty()) co_return refused(wire::kInvalidRequest, "code is required");
  auto denying = call->server.devices().deny(code);
  const Result<PairingRequest> denied = co_await std::move(denying);
  if (!denied.ok()) co_return failed(denied.error());
  call->server.tell_admins("device.pair.resolved", json::object{{"action", "denied"}});
  co_return fine(json::object{{"denied", true}});
}

Task<Answer> pair_list(CallPtr call) {
  json::array pending;
  for (const PairingRequest& row :
       call->server.devices().requests().waiting(call->server.now_ms())) {
    pending.push_back(request_row(row));
  }
  json::array paired;
  for (const auto& [key, device] : call->server.devices().paired()) {
    paired.push_back(device_row(device));
  }
  co_return fine(json::object{{"pending", std::move(pending)}, {"paired", std::move(paired)}});
}

Task<Answer> pair_revoke(CallPtr call) {
  const std::string sender = text(call->params(), kSender);
  std::string channel = text(call->params(), "channel");
  if (channel.empty()) channel = kBrowser;
  if (sender.empty()) co_return refused(wire::kInvalidRequest, "senderId and channel are required");
  auto revoking = call->server.devices().revoke(std::move(channel), sender);
  const Result<void> revoked = co_await std::move(revoking);
  if (!revoked.ok()) co_return failed(revoked.error());
  call->server.tell_admins("device.pair.resolved", json::object{{"action", "revoked"}});
  co_return fine(json::object{{"revoked", true}});
}

Task<Answer> keys_list(CallPtr call) {
  json::array rows;
  CredentialsRequest request;
  request.kind = CredentialKind::ApiKey;
  for (;;) {
    CredentialsRequest page = request;
    const auto list = co_await ask<ListCredentials>(call->host(), std::move(page));
    if (!list.ok()) co_return failed(list.error());
    for (const CredentialInfo& info : (*list)->credentials) rows.push_back(key_row(info));
    if (!(*list)->more || (*list)->credentials.empty()) break;
    request.after = (*list)->credentials.back().credential_id;
  }
  co_return fine(json::object{{"api_keys", std::move(rows)}});
}

Task<Answer> keys_create(CallPtr call) {
  IssueCredentialRequest request;
  request.kind = CredentialKind::ApiKey;
  request.label = text(call->params(), {"name", "label"});
  request.subject = text(call->params(), {"owner_id", "ownerId", "user_id"});
  if (request.subject.empty()) request.subject = call->who.user;
  request.expires_ms = integer(call->params(), {"expires_at", "expiresAt"});
  const json::value* scopes = find(call->params(), "scopes");
  if (scopes != nullptr && scopes->is_array()) {
    for (const json::value& scope : scopes->get_array()) {
      if (scope.is_string()) request.roles.emplace_back(scope.get_string());
    }
  }
  if (request.label.empty()) co_return refused(wire::kInvalidRequest, "name is required");
  if (request.subject.empty()) co_return refused(wire::kInvalidRequest, "owner_id is required");
  if (Scopes(request.roles).role() == Role::None) {
    co_return refused(wire::kInvalidRequest,
                      "scopes is required: operator.read, operator.write, operator.approvals, "
                      "operator.pairing, operator.admin");
  }
  const auto issued = co_await ask<IssueCredential>(call->host(), std::move(request));
  if (!issued.ok()) co_return failed(issued.error());
  co_return fine(json::object{{"id", (*issued)->credential_id}, {"key", (*issued)->secret}});
}

Task<Answer> keys_revoke(CallPtr call) {
  RevokeCredentialRequest request;
  request.credential_id = text(call->params(), "id");
  if (request.credential_id.empty()) co_return refused(wire::kInvalidRequest, "id is required");
  const auto revoked = co_await ask<RevokeCredential>(call->host(), std::move(request));
  if (!revoked.ok()) co_return failed(revoked.error());
  co_return fine(json::object{{"ok", true}});
}

}  // namespace gantry::gateway
