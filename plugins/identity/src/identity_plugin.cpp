// SPDX-License-Identifier: Apache-2.0
#include "identity_plugin.hpp"

#include <memory>
#include <utility>

#include "record.hpp"
#include "secret.hpp"

namespace gantry::identity {
namespace {

constexpr std::size_t kLongestSecret = 512;
constexpr std::size_t kIdBytes = 16;
constexpr std::int64_t kMinuteNs = 60'000'000'000;
constexpr std::int64_t kNsInMs = 1'000'000;

Error refusal(Code code, std::string message, std::string_view reason) {
  return {code, std::move(message), to_json(Refusal{std::string(reason)})};
}

Error too_many(std::string_view of_what, std::int64_t wait_ns) {
  return {Code::ResourceExhausted,
          "too many " + std::string(of_what) + " from this address; try again later",
          to_json(TooMany{wait_ns / kNsInMs + 1})};
}

std::string_view sentence(std::string_view reason) {
  if (reason == "missing") return "no credential was presented; send one";
  if (reason == "expired") return "the credential has expired; get a new one";
  if (reason == "revoked") return "the credential was revoked; get a new one";
  return "the credential is not known; register or ask for one";
}

Result<RegisteredInstall> new_install() {
  GANTRY_ASSIGN(const std::string user, random_hex(kIdBytes));
  GANTRY_ASSIGN(const std::string install, random_hex(kIdBytes));
  GANTRY_ASSIGN(const std::string token, new_secret(CredentialKind::Install));
  return RegisteredInstall{"user_" + user, "install_" + install, token};
}

}  // namespace

Result<void> IdentityPlugin::init() {
  GANTRY_TRY(reconfigure());
  refused_ = host().counter("refused_total", "Credentials that were refused");
  Bus& bus = host().bus();
  GANTRY_TRY(
      bus.serve<IdentityVerify>([this](const Ref<IdentityVerifyRequest>& request, const CallInfo&,
                                       Verified reply) { verify(*request, std::move(reply)); }));
  GANTRY_TRY(bus.serve<RegisterInstall>(
      [this](const Ref<RegisterInstallRequest>& request, const CallInfo&,
             Reply<RegisterInstall> reply) { register_install(*request, std::move(reply)); }));
  GANTRY_TRY(bus.serve<IdentityResolve>(
      [this](const IdentityResolveRequest& request) -> Result<Principal> {
        if (request.realm.empty()) return local_principal();
        return Principal{links_.principal_of(request.realm, request.subject), {"user"}};
      }));
  return serve_management();
}

Result<void> IdentityPlugin::serve_management() {
  Bus& bus = host().bus();
  GANTRY_TRY(bus.serve<IssueCredential>(
      [this](const Ref<IssueCredentialRequest>& request, const CallInfo&,
             Reply<IssueCredential> reply) { issue(*request, std::move(reply)); }));
  GANTRY_TRY(bus.serve<ListCredentials>([this](const Ref<CredentialsRequest>& request,
                                               const CallInfo&, Reply<ListCredentials> reply) {
    if (request->limit < 1 || request->limit > 1000) {
      return reply.fail(invalid_argument("limit is 1 to 1000"));
    }
    auto answer = std::make_shared<Reply<ListCredentials>>(std::move(reply));
    credentials_.list(*request,
                      [answer](Result<CredentialList> list) { (*answer)(std::move(list)); });
  }));
  return bus.serve<RevokeCredential>([this](const Ref<RevokeCredentialRequest>& request,
                                            const CallInfo&, Reply<RevokeCredential> reply) {
    auto answer = std::make_shared<Reply<RevokeCredential>>(std::move(reply));
    credentials_.revoke(request->credential_id, [this, answer](Result<CredentialInfo> revoked) {
      if (!revoked.ok()) return answer->fail(revoked.error());
      host().bus().publish<CredentialRevoked>({revoked->credential_id, revoked->kind});
      (*answer)(Done{});
    });
  });
}

Result<void> IdentityPlugin::reconfigure() {
  GANTRY_ASSIGN(settings_, read_settings(host().config_json()));
  links_ = Links(settings_.links);
  failures_.configure(settings_.failures_per_minute, kMinuteNs);
  registrations_.configure(settings_.registrations_per_hour, 60 * kMinuteNs);
  return {};
}

std::int64_t IdentityPlugin::now_ms() const { return host().wall_ns() / kNsInMs; }

/// Whether nobody needs a credential of this kind.
bool IdentityPlugin::optional(CredentialKind kind) const {
  return kind == CredentialKind::Install && !settings_.install_auth_enabled;
}

void IdentityPlugin::verify(const IdentityVerifyRequest& request, Verified reply) {
  if (request.secret.empty()) return refuse(request, "missing", reply);
  if (request.secret.size() > kLongestSecret) return refuse(request, "invalid", reply);
  const std::string hash = hash_of(request.secret);
  // Whoever has a credential that works is let in even when others at that address guess.
  if (const Known* known = credentials_.remembered(hash))
    return judge(request, hash, *known, reply);
  const std::int64_t wait = failures_.wait_ns(address_of(request.peer), now());
  if (wait > 0 && !optional(request.kind)) return reply.fail(too_many("failures", wait));
  auto answer = std::make_shared<Verified>(std::move(reply));
  credentials_.find(hash, [this, request, hash, answer](const Result<Known>& found) {
    judge(request, hash, found, *answer);
  });
}

void IdentityPlugin::judge(const IdentityVerifyRequest& request, const std::string& hash,
                           const Result<Known>& found, Verified& reply) {
  if (!found.ok() && found.error().code != Code::NotFound) return reply.fail(found.error());
  // Compared once more, in constant time: the database's search is not.
  if (!found.ok() || !same_hash(found->record.hash, hash) ||
      found->record.info.kind != request.kind) {
    return refuse(request, "invalid", reply);
  }
  const CredentialInfo& info = found->record.info;
  if (info.revoked) return refuse(request, "revoked", reply);
  if (info.expires_ms && *info.expires_ms <= now_ms()) return refuse(request, "expired", reply);
  IdentityVerified verified;
  const std::string_view realm = request.realm.empty() ? realm_of(info.kind) : request.realm;
  verified.principal = {links_.principal_of(realm, info.subject), info.roles};
  verified.credential_id = info.credential_id;
  verified.subject = info.subject;
  credentials_.touch(*found, now_ms());
  reply(std::move(verified));
}

void IdentityPlugin::refuse(const IdentityVerifyRequest& request, std::string_view reason,
                            Verified& reply) {
  if (optional(request.kind)) {
    const Principal local = local_principal();
    return reply(IdentityVerified{local, "", local.id, true});
  }
  // Nobody guesses by sending nothing.
  if (reason != "missing") failures_.count(address_of(request.peer), now());
  refused_.add();
  reply.fail(refusal(Code::Unauthenticated, std::string(sentence(reason)), reason));
}

Result<void> IdentityPlugin::may_register(const RegisterInstallRequest& request) {
  if (!settings_.install_registration_enabled) {
    return refusal(Code::PermissionDenied,
                   "registration is switched off (identity.install_registration_enabled)",
                   "disabled");
  }
  const std::string address = address_of(request.peer);
  if (!settings_.install_registration_secret.empty()) {
    const std::int64_t wait = failures_.wait_ns(address, now());
    if (wait > 0) return too_many("failures", wait);
    if (!same_secret(request.registration_secret, settings_.install_registration_secret)) {
      failures_.count(address, now());
      refused_.add();
      return refusal(Code::PermissionDenied, "registration needs its secret; send it", "secret");
    }
  }
  const std::int64_t wait = registrations_.wait_ns(address, now());
  if (wait > 0) return too_many("registrations", wait);
  registrations_.count(address, now());
  return {};
}

void IdentityPlugin::register_install(const RegisterInstallRequest& request,
                                      Reply<RegisterInstall> reply) {
  const Result<void> allowed = may_register(request);
  if (!allowed.ok()) return reply.fail(allowed.error());
  const auto fresh = new_install();
  if (!fresh.ok()) return reply.fail(fresh.error());
  const RegisteredInstall& made = *fresh;
  Record record;
  record.hash = hash_of(made.install_token);
  record.info.credential_id = made.install_id;
  record.info.kind = CredentialKind::Install;
  record.info.subject = made.user_id;
  record.info.roles = {"user"};
  record.info.operating_system = request.operating_system;
  record.info.created_ms = now_ms();
  auto answer = std::make_shared<Reply<RegisterInstall>>(std::move(reply));
  credentials_.add(record, [answer, made = *fresh](const Result<void>& done) {
    if (!done.ok()) return answer->fail(done.error());
    (*answer)(made);
  });
}

void IdentityPlugin::issue(const IssueCredentialRequest& request, Reply<IssueCredential> reply) {
  if (request.kind == CredentialKind::Install) {
    return reply.fail(invalid_argument("installations register themselves; issue another kind"));
  }
  if (request.subject.empty()) {
    return reply.fail(invalid_argument("the credential names nobody; give it a subject"));
  }
  const auto id = random_hex(kIdBytes);
  const auto secret = new_secret(request.kind);
  if (!id.ok() || !secret.ok()) return reply.fail((id.ok() ? secret : id).error());
  const IssuedCredential made{std::string(realm_of(request.kind)) + "_" + *id, *secret};
  Record record;
  record.hash = hash_of(made.secret);
  record.info.credential_id = made.credential_id;
  record.info.kind = request.kind;
  record.info.subject = request.subject;
  record.info.roles = request.roles;
  record.info.label = request.label;
  record.info.created_ms = now_ms();
  record.info.expires_ms = request.expires_ms;
  auto answer = std::make_shared<Reply<IssueCredential>>(std::move(reply));
  credentials_.add(record, [answer, made](const Result<void>& done) {
    if (!done.ok()) return answer->fail(done.error());
    (*answer)(made);
  });
}

}  // namespace gantry::identity
