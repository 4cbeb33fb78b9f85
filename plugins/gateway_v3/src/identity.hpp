// SPDX-License-Identifier: Apache-2.0
#pragma once
// Who speaks, and how that is found out. Strand only.

#include <gantry/host.hpp>
#include <gantry/task.hpp>

#include <optional>
#include <string>
#include <string_view>

#include "frame.hpp"
#include "roles.hpp"

namespace gantry::gateway {

class Server;

struct Identity {
  Role role = Role::None;
  std::optional<Scopes> scopes;  // of a key for programs; nothing: the role alone decides
  std::string user;              // as the protocol names somebody; may be empty
  std::string principal;         // whose sessions; empty: of nobody
  std::string credential;        // of the identity plugin; empty: the configured token, or none

  bool operator==(const Identity&) const = default;
  [[nodiscard]] bool at_least(Role least) const { return role >= least; }
  [[nodiscard]] bool may(Scope scope) const { return !scopes || scopes->has(scope); }
  /// Whether it may see what is this principal's.
  [[nodiscard]] bool sees(std::string_view of) const {
    return may(Scope::Read) &&
           (at_least(Role::Admin) || (role != Role::None && !principal.empty() && principal == of));
  }
};

/// What a client says of itself.
struct Claim {
  std::string token;
  std::string user;
  std::string sender;
  std::string tenant;  // id or slug; empty: says nothing
  std::string peer;
};

/// Somebody, or a refusal, or neither: then a pairing may begin.
struct Recognised {
  std::optional<Identity> who;
  Answer refusal;
  bool may_pair = false;
};

Task<Recognised> recognise(Server& server, Claim claim);

inline constexpr int kProtocol = 3;
inline constexpr std::string_view kVersion = "0.1.0";

/// The one tenant.
inline constexpr std::string_view kTenantId = "0193a5b0-7000-7000-8000-000000000001";
inline constexpr std::string_view kTenantSlug = "master";

}  // namespace gantry::gateway
