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

std::optional<NamedSession> session_of(const Call& call, Answer& answer) {
  return session_named(call, text(call.params(), kSession), answer);
}

std::optional<NamedSession> session_named(const Call& call, std::string key, Answer& answer) {
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
  return NamedSession{std::move(key), std::move(access)};
}

Answer no_session(const std::string& key) {
  return refused(wire::kNotFound, "session not found: " + key);
}

Answer session_failed(const std::string& key, const Error& error) {
  return error.code == Code::NotFound ? no_session(key) : failed(error);
}

Task<Result<Ref<SessionInfo>>> look_up(CallPtr call, SessionKey session) {
  SessionOpenRequest request;
  request.session = std::move(session);
  request.create = false;
  co_return co_await ask<SessionOpen>(call->host(), std::move(request));
}

Task<Result<Ref<SessionHistoryRows>>> history_of(CallPtr call, SessionKey session) {
  SessionHistoryRequest request;
  request.session = std::move(session);
  co_return co_await ask<SessionHistory>(call->host(), std::move(request));
}

}  // namespace gantry::gateway
