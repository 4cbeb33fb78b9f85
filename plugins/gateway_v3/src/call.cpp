// SPDX-License-Identifier: Apache-2.0
#include "call.hpp"

#include "session_keys.hpp"

namespace gantry::gateway {

std::set<std::string> seen_principals(const Call& call) {
  std::set<std::string> out;
  if (call.who.at_least(Role::Admin)) out = call.server.sessions().principals();
  if (!call.who.principal.empty()) out.insert(call.who.principal);
  return out;
}

std::optional<SessionAccess> session_of(const Call& call, std::string& key, Answer& answer) {
  key = text(call.params(), kSession);
  if (key.empty()) {
    const bool by_key = call.frame.method.starts_with("sessions.");
    answer = refused(wire::kInvalidRequest, by_key ? "key is required" : "sessionKey is required");
    return std::nullopt;
  }
  if (key.size() > kLongestKey) {
    answer = refused(wire::kInvalidRequest, "sessionKey is too long");
    return std::nullopt;
  }
  SessionAccess access = call.server.sessions().access(call.who, key);
  if (!access.allowed) {
    answer = refused(wire::kUnauthorized, "permission denied: session");
    return std::nullopt;
  }
  if (access.session.principal.empty()) {
    answer = refused(wire::kInvalidRequest, "user_id is required");
    return std::nullopt;
  }
  return access;
}

}  // namespace gantry::gateway
