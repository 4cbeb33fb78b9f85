// SPDX-License-Identifier: Apache-2.0
#include "identity.hpp"

#include <gantry/contracts/identity.hpp>

#include <algorithm>
#include <utility>

#include "ask.hpp"
#include "server.hpp"
#include "text.hpp"

namespace gantry::gateway {
namespace {

constexpr const char* kRealm = "gateway";
// What the identity plugin's secrets begin with; nothing else can be one.
constexpr std::string_view kKeyPrefix = "gantry_key_";
constexpr std::string_view kGatewayPrefix = "gantry_gateway_";
constexpr std::string_view kRefused = "permission denied: valid token or active pairing required";
constexpr std::string_view kTooManyFailures = "too many failed attempts; wait a minute";
constexpr std::size_t kLongestUser = 255;

Recognised refuse(std::string_view code, std::string_view why) {
  Recognised out;
  out.refusal = refused(code, std::string(why));
  return out;
}

bool is_owner(const Settings& settings, const std::string& user) {
  const auto& ids = settings.owner_ids;
  if (ids.empty()) return user == "system";
  return std::find(ids.begin(), ids.end(), user) != ids.end();
}

Role role_of(const Settings& settings, const std::string& user) {
  return is_owner(settings, user) ? Role::Owner : Role::Admin;
}

/// A name that lists, logs and keys of sessions can hold.
bool is_user(std::string_view user) {
  return user.size() <= kLongestUser && std::none_of(user.begin(), user.end(), [](char c) {
           return static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
         });
}

/// A tenant that is not this one: nobody is a member of it.
bool foreign_tenant(std::string_view tenant) {
  constexpr std::size_t kUuid = 36;
  return tenant.size() == kUuid && std::count(tenant.begin(), tenant.end(), '-') == 4 &&
         tenant != kTenantId;
}

/// Sets whose sessions are meant, if it is not known yet. The user's name is the protocol's;
/// `links` of the identity plugin may join it with others.
Task<Recognised> with_principal(Server& server, Identity who, std::string tenant) {
  if (foreign_tenant(tenant) && who.role != Role::Owner) {
    co_return refuse(wire::kTenantRevoked, "tenant access revoked");
  }
  if (!who.user.empty() && who.principal.empty()) {
    IdentityResolveRequest request{kRealm, who.user};
    const auto principal = co_await ask<IdentityResolve>(server.host(), std::move(request));
    if (!principal.ok()) co_return refuse(wire::kUnavailable, principal.error().message);
    who.principal = (*principal)->id;
  }
  Recognised out;
  out.who = std::move(who);
  co_return out;
}

/// A secret that the identity plugin gave out; the user is whom it names.
Task<Result<Identity>> by_credential(Server& server, const Claim& claim, CredentialKind kind) {
  IdentityVerifyRequest request{kind, claim.token, claim.peer, kRealm};
  const auto verified = co_await ask<IdentityVerify>(server.host(), std::move(request));
  if (!verified.ok()) co_return verified.error();
  Identity who;
  who.credential = (*verified)->credential_id;
  who.user = claim.user;
  if (kind == CredentialKind::Gateway) {
    who.role = role_of(server.settings(), claim.user);
    co_return who;
  }
  if (!(*verified)->subject.empty()) {
    who.user = (*verified)->subject;
    who.principal = (*verified)->principal.id;
  }
  who.scopes = Scopes((*verified)->principal.roles);
  who.role = who.scopes->role();
  if (who.role == Role::None) {
    co_return Error{Code::Unauthenticated, "the key has no scope that this gateway knows", {}};
  }
  co_return who;
}

/// Whether a device's credential still holds: nobody revoked it while this plugin did not listen.
Task<bool> holds(Server& server, const Device& device) {
  if (device.expires_ms != 0 && device.expires_ms <= server.now_ms()) co_return false;
  CredentialsRequest request;
  request.kind = CredentialKind::Device;
  request.subject = device.user.empty() ? device.sender : device.user;
  const std::string credential = device.credential;
  for (;;) {
    CredentialsRequest page = request;
    const auto list = co_await ask<ListCredentials>(server.host(), std::move(page));
    if (!list.ok()) co_return false;
    for (const CredentialInfo& info : (*list)->credentials) {
      if (info.credential_id == credential) co_return !info.revoked;
    }
    if (!(*list)->more || (*list)->credentials.empty()) co_return false;
    request.after = (*list)->credentials.back().credential_id;
  }
}

/// Whom the claim's token belongs to. Errors: those of by_credential(), not_found (it is no secret
/// of this gateway).
Task<Result<Identity>> by_token(Server& server, const Claim& claim) {
  const Settings& settings = server.settings();
  if (!settings.token.empty() && same_secret(claim.token, settings.token)) {
    Identity who;
    who.user = claim.user;
    who.role = role_of(settings, claim.user);
    co_return who;
  }
  const bool gateway = claim.token.starts_with(kGatewayPrefix);
  if (!gateway && !claim.token.starts_with(kKeyPrefix)) co_return not_found("no secret");
  const CredentialKind kind = gateway ? CredentialKind::Gateway : CredentialKind::ApiKey;
  auto asked = by_credential(server, claim, kind);
  co_return co_await std::move(asked);
}

/// Who the claim's device was paired for. Errors: not_found (nobody, or no longer).
Task<Result<Identity>> by_device(Server& server, const Claim& claim) {
  const Device* const known = server.devices().find(kBrowser, claim.sender);
  if (known == nullptr) co_return not_found("no such device");
  const Device device = *known;
  auto checking = holds(server, device);
  if (!co_await std::move(checking)) co_return not_found("the device is no longer paired");
  Identity who;
  who.user = device.user.empty() ? device.sender : device.user;  // never whom it says it is
  who.role = Role::Operator;
  who.credential = device.credential;
  co_return who;
}

/// The refusal of a claim that shows neither a secret nor a paired device; guesses are counted.
Recognised refuse_stranger(Server& server, const Claim& claim, const std::string& address) {
  const std::int64_t now = server.host().monotonic_ns();
  if (!claim.sender.empty() && !server.devices().waits(kBrowser, claim.sender) &&
      !server.failures().take(address, now)) {
    return refuse(wire::kResourceExhausted, kTooManyFailures);  // it tries names of devices
  }
  if (claim.token.empty()) {
    Recognised out = refuse(wire::kUnauthorized, kRefused);
    out.may_pair = true;
    return out;
  }
  if (!server.token_failures().take(address, now)) {
    return refuse(wire::kResourceExhausted, kTooManyFailures);
  }
  return refuse(wire::kUnauthorized, kRefused);
}

}  // namespace

Task<Recognised> recognise(Server& server, Claim claim) {
  auto loading = server.loaded();
  co_await std::move(loading);
  const Settings& settings = server.settings();
  const std::string address = address_of(claim.peer);
  if (!is_user(claim.user)) {
    co_return refuse(wire::kInvalidRequest,
                     "user_id has at most 255 bytes and no control characters");
  }
  // Before it is compared: whoever has guessed too often learns nothing of the next guess.
  if (!claim.token.empty() && !server.token_failures().has(address, server.host().monotonic_ns())) {
    co_return refuse(wire::kResourceExhausted, kTooManyFailures);
  }
  auto by_secret = by_token(server, claim);
  Result<Identity> found = co_await std::move(by_secret);
  if (!found.ok() && found.error().code == Code::ResourceExhausted) {
    co_return refuse(wire::kResourceExhausted, found.error().message);
  }
  if (!found.ok() && settings.token.empty() && settings.open_on_loopback &&
      from_this_machine(claim.peer)) {
    Identity who;
    who.user = claim.user;
    who.role = Role::Operator;
    found = std::move(who);
  }
  if (!found.ok() && !claim.sender.empty()) {
    auto paired = by_device(server, claim);
    found = co_await std::move(paired);
  }
  if (!found.ok()) co_return refuse_stranger(server, claim, address);
  Identity who = std::move(*found);
  auto known = with_principal(server, std::move(who), claim.tenant);
  co_return co_await std::move(known);
}

}  // namespace gantry::gateway
