// SPDX-License-Identifier: Apache-2.0
#pragma once
// Names of sessions: on the wire "agent:<agent>:<channel>:<kind>:<id>", in the engine a principal,
// a workspace and a key. Any thread.

#include <gantry/contracts/session.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace gantry::gateway {

/// Where the engine keeps what was begun here.
inline constexpr const char* kWorkspace = "gateway";
/// Bytes of a key.
inline constexpr std::size_t kLongestKey = 400;
inline constexpr const char* kChannel = "ws";

struct KeyParts {
  std::string agent;    // empty: the key does not say
  std::string channel;  // "ws", "cron", …; empty: the key does not say
  std::string chat;     // the last part
};

/// Never fails: any text may be a key.
KeyParts parts_of(std::string_view key);

/// A new key of the web socket's own form.
std::string make_key(std::string_view agent, std::string_view id);

/// A session that was begun elsewhere: "agent:<agent>:ws:direct:~<workspace>~<key>", with what
/// would be ambiguous in the workspace percent-encoded.
std::string foreign_key(std::string_view agent, const SessionKey& session);
[[nodiscard]] bool is_foreign(std::string_view key);

/// The engine's name of a session of this principal.
SessionKey engine_key(const std::string& principal, const std::string& key);
/// The protocol's name of whoever a principal is.
std::string user_of(const std::string& principal);
/// The wire's name of a session of the engine; `agent` is that of sessions which name none.
std::string wire_key(const SessionKey& session, std::string_view agent);

}  // namespace gantry::gateway
