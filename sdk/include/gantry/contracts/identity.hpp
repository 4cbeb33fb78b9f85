// SPDX-License-Identifier: Apache-2.0
//
// Identity: who somebody is, for every protocol. A credential is something that was given out
// (a token, a key, a paired device) and maps to one principal; the principal owns sessions,
// artifacts and runs, and is what isolation between users compares. Secrets are kept as hashes
// only; they are in no answer but that of the call that made them.
#pragma once

#include <gantry/contracts/common.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gantry {

/// What kind of credential. A secret of one kind never passes as another.
///   Install      an installation of the agent's client ("wnd_install_…")
///   Gateway      the gateway's shared token
///   ApiKey       a key for programs
///   Device       a paired device
///   UserSession  a person who has signed in
///   McpBearer    a bearer token of MCP clients
enum class CredentialKind : std::uint8_t {
  Install,
  Gateway,
  ApiKey,
  Device,
  UserSession,
  McpBearer
};
BOOST_DESCRIBE_ENUM(CredentialKind, Install, Gateway, ApiKey, Device, UserSession, McpBearer)

/// Owner of sessions, artifacts and runs. `id` is what to compare and to store: "local" for whoever
/// sits at the machine, "user_…" for those who registered, else what the configuration links.
struct Principal {
  std::string id;
  std::vector<std::string> roles;  // "user", "operator", "admin", or a protocol's own
};
BOOST_DESCRIBE_STRUCT(Principal, (), (id, roles))

struct IdentityVerifyRequest {
  CredentialKind kind = CredentialKind::Install;
  std::string secret;   // as presented, trimmed; empty: none was
  std::string peer;     // HttpRequest::peer: failures are counted by address
  std::string realm{};  // whose user the subject is, as with IdentityResolve; empty: the kind's
};
BOOST_DESCRIBE_STRUCT(IdentityVerifyRequest, (), (kind, secret, peer, realm))

struct IdentityVerified {
  Principal principal;
  std::string credential_id;  // of an installation its install_id; empty: implicit
  std::string subject;        // whom the credential itself names ("user_…"), before links
  bool implicit = false;      // nothing was proven: authentication of this kind is switched off
};
BOOST_DESCRIBE_STRUCT(IdentityVerified, (), (principal, credential_id, subject, implicit))

/// With `install_auth_enabled: false` an installation's secret may be missing or wrong: the answer
/// is then the principal "local", implicit. Errors: unauthenticated (detail {"reason":"missing"},
/// "invalid", "expired" or "revoked"), resource_exhausted (too many failures from this address;
/// detail {"retry_after_ms":…}), unavailable (the store).
struct IdentityVerify {
  static constexpr std::string_view kName = "gantry.identity.verify/1";
  static constexpr std::string_view kDoc = "Says whose credential this is.";
  using Request = IdentityVerifyRequest;
  using Response = IdentityVerified;
};

struct RegisterInstallRequest {
  std::string operating_system;     // as the client says; may be empty
  std::string registration_secret;  // as presented; empty: none was
  std::string peer;
};
BOOST_DESCRIBE_STRUCT(RegisterInstallRequest, (), (operating_system, registration_secret, peer))

/// The token is shown this once: "wnd_install_" and 43 URL-safe characters.
struct RegisteredInstall {
  std::string user_id;     // "user_" and 32 hexadecimal digits
  std::string install_id;  // "install_" and 32 hexadecimal digits
  std::string install_token;
};
BOOST_DESCRIBE_STRUCT(RegisteredInstall, (), (user_id, install_id, install_token))

/// Every call makes a new user. Errors: permission_denied (detail {"reason":"disabled"} or
/// "secret"), resource_exhausted, as with verify or because too many have registered from this
/// address, unavailable.
struct RegisterInstall {
  static constexpr std::string_view kName = "gantry.identity.register_install/1";
  static constexpr std::string_view kDoc = "Registers an installation and its user.";
  using Request = RegisterInstallRequest;
  using Response = RegisteredInstall;
};

/// The principal that a protocol's own user is. For protocols that have authenticated somebody
/// already, or that need none on loopback.
struct IdentityResolveRequest {
  std::string realm;  // "gateway", "aide", "install", … as in `links`; empty: the local principal
  std::string subject;  // the user's name there
};
BOOST_DESCRIBE_STRUCT(IdentityResolveRequest, (), (realm, subject))

/// "local" for an empty realm, what `links` of the configuration says, else "realm:subject"
/// ("user_…" for realm "install").
struct IdentityResolve {
  static constexpr std::string_view kName = "gantry.identity.resolve/1";
  static constexpr std::string_view kDoc = "Says which principal a protocol's user is.";
  using Request = IdentityResolveRequest;
  using Response = Principal;
};

struct IssueCredentialRequest {
  CredentialKind kind = CredentialKind::ApiKey;
  std::string subject;  // whom it names; mapped through `links` like those of its kind's realm
  std::vector<std::string> roles;
  std::string label;                       // for people: "Ann's phone"
  std::optional<std::int64_t> expires_ms;  // milliseconds since the epoch
};
BOOST_DESCRIBE_STRUCT(IssueCredentialRequest, (), (kind, subject, roles, label, expires_ms))

struct IssuedCredential {
  std::string credential_id;
  std::string secret;  // shown this once
};
BOOST_DESCRIBE_STRUCT(IssuedCredential, (), (credential_id, secret))

/// Errors: invalid_argument (no subject, or an Install: those register), unavailable.
struct IssueCredential {
  static constexpr std::string_view kName = "gantry.identity.issue/1";
  static constexpr std::string_view kDoc = "Makes a credential and shows its secret once.";
  using Request = IssueCredentialRequest;
  using Response = IssuedCredential;
};

struct CredentialsRequest {
  std::optional<CredentialKind> kind;
  std::string subject;  // empty: of all
  std::string after;    // a credential_id, to go on
  std::int32_t limit = 200;
};
BOOST_DESCRIBE_STRUCT(CredentialsRequest, (), (kind, subject, after, limit))

struct CredentialInfo {
  std::string credential_id;
  CredentialKind kind = CredentialKind::ApiKey;
  std::string subject;
  std::vector<std::string> roles;
  std::string label;
  std::string operating_system;
  std::int64_t created_ms = 0;
  std::int64_t last_seen_ms = 0;  // to the minute; 0: never
  std::optional<std::int64_t> expires_ms;
  bool revoked = false;
};
BOOST_DESCRIBE_STRUCT(CredentialInfo, (),
                      (credential_id, kind, subject, roles, label, operating_system, created_ms,
                       last_seen_ms, expires_ms, revoked))

struct CredentialList {
  std::vector<CredentialInfo> credentials;
  bool more = false;
};
BOOST_DESCRIBE_STRUCT(CredentialList, (), (credentials, more))

struct ListCredentials {
  static constexpr std::string_view kName = "gantry.identity.credentials/1";
  static constexpr std::string_view kDoc = "Lists what was given out, without the secrets.";
  using Request = CredentialsRequest;
  using Response = CredentialList;
};

struct RevokeCredentialRequest {
  std::string credential_id;
};
BOOST_DESCRIBE_STRUCT(RevokeCredentialRequest, (), (credential_id))

/// Holds from the answer on. Errors: not_found.
struct RevokeCredential {
  static constexpr std::string_view kName = "gantry.identity.revoke/1";
  static constexpr std::string_view kDoc = "Makes a credential worthless.";
  using Request = RevokeCredentialRequest;
  using Response = Done;
};

/// Sockets that were opened with it must close.
struct CredentialRevokedEvent {
  std::string credential_id;
  CredentialKind kind = CredentialKind::ApiKey;
};
BOOST_DESCRIBE_STRUCT(CredentialRevokedEvent, (), (credential_id, kind))

struct CredentialRevoked {
  static constexpr std::string_view kName = "gantry.identity.revoked/1";
  static constexpr std::string_view kDoc = "A credential was revoked.";
  using Event = CredentialRevokedEvent;
};

}  // namespace gantry
