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

/// Sets whose sessions are meant. The user's name is the protocol's; `links` of the identity plugin
/// may join it with others.
Task<Recognised> with_principal(Server& server, Identity who, std::string tenant) {
  if (foreign_tenant(tenant) && who.role != Role::Owner) {
    co_return refuse(wire::kTenantRevoked, "tenant access revoked");
  }
  if (!who.user.empty()) {
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
  IdentityVerifyRequest request{kind, claim.token, claim.peer};
  const auto verified = co_await ask<IdentityVerify>(server.host(), std::move(request));
  if (!verified.ok()) co_return verified.error();
  Identity who;
  who.credential = (*verified)->credential_id;
  who.user = claim.user;
  if (kind == CredentialKind::Gateway) {
    who.role = is_owner(server.settings(), claim.user) ? Role::Owner : Role::Admin;
    co_return who;
  }
  if (!(*verified)->subject.empty()) who.user = (*verified)->subject;
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
  const std::int64_t now = server.host().monotonic_ns();
  // Before it is compared: whoever has guessed too often learns nothing of the next guess.
  if (!claim.token.empty() && !server.token_failures().has(address, now)) {
    co_return refuse(wire::kResourceExhausted, kTooManyFailures);
  }
  if (!settings.token.empty() && same_secret(claim.token, settings.token)) {
    Identity who;
    who.user = claim.user;
    who.role = is_owner(settings, claim.user) ? Role::Owner : Role::Admin;
    auto known = with_principal(server, std::move(who), claim.tenant);
    co_return co_await std::move(known);
  }
  if (claim.token.starts_with(kKeyPrefix) || claim.token.starts_with(kGatewayPrefix)) {
    const CredentialKind kind =
        claim.token.starts_with(kGatewayPrefix) ? CredentialKind::Gateway : CredentialKind::ApiKey;
    auto asked = by_credential(server, claim, kind);
    auto found = co_await std::move(asked);
    if (found.ok()) {
      Identity who = std::move(*found);
      auto known = with_principal(server, std::move(who), claim.tenant);
      co_return co_await std::move(known);
    }
    if (found.error().code == Code::ResourceExhausted) {
      co_return refuse(wire::kResourceExhausted, found.error().message);
    }
  }
  if (settings.token.empty() && settings.open_on_loopback && from_this_machine(claim.peer)) {
    Identity who;
    who.user = claim.user;
    who.role = Role::Operator;
    auto known = with_principal(server, std::move(who), claim.tenant);
    co_return co_await std::move(known);
  }
  if (!claim.sender.empty()) {
    const Device* device = server.devices().find(kBrowser, claim.sender);
    if (device != nullptr) {
      const Device copy = *device;
      auto checking = holds(server, copy);
      if (co_await std::move(checking)) {
        Identity who;
        who.user = copy.user.empty() ? copy.sender : copy.user;  // never whom it says it is
        who.role = Role::Operator;
        who.credential = copy.credential;
        auto known = with_principal(server, std::move(who), claim.tenant);
        co_return co_await std::move(known);
      }
    }
  }
  if (!claim.sender.empty() && !server.devices().waits(kBrowser, claim.sender) &&
      !server.failures().take(address, now)) {
    co_return refuse(wire::kResourceExhausted, kTooManyFailures);  // it tries names of devices
  }
  if (claim.token.empty()) {
    Recognised out;
    out.may_pair = true;
    out.refusal = refused(wire::kUnauthorized, std::string(kRefused));
    co_return out;
  }
  if (!server.token_failures().take(address, now)) {
    co_return refuse(wire::kResourceExhausted, kTooManyFailures);
  }
  co_return refuse(wire::kUnauthorized, kRefused);
}

}  // namespace gantry::gateway
