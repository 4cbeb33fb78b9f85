// SPDX-License-Identifier: Apache-2.0
#pragma once
// One request on its way, and the table of what can be asked for. Strand only.

#include <gantry/task.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ask.hpp"
#include "connection.hpp"
#include "frame.hpp"
#include "identity.hpp"
#include "params.hpp"
#include "server.hpp"

namespace gantry::gateway {

/// Always in a shared_ptr; a handler keeps one.
struct Call {
  Server& server;
  std::shared_ptr<Connection> connection;
  Identity who;
  Frame frame;
  std::function<void()> next;        // the connection goes on with its next request
  std::function<void()> afterwards;  // when the answer is on its way
  std::string after_session;         // the answer comes after what is held back of this session

  [[nodiscard]] Host& host() const { return server.host(); }
  [[nodiscard]] const boost::json::object& params() const { return frame.params; }
  /// Lets the next request begin before this one is answered.
  void release() {
    if (next) std::exchange(next, nullptr)();
  }
};
using CallPtr = std::shared_ptr<Call>;
using Handler = Task<Answer> (*)(CallPtr);

struct Method {
  std::string_view name;
  Role role = Role::Owner;  // the least that may ask for it
  Scope scope = Scope::Admin;
  Handler handler = nullptr;
  bool strict = false;         // parameters that are no object are refused
  std::string_view missing{};  // no handler: what this gateway has not, and what cures it
};

/// Whose sessions the caller sees: everybody's for administrators, else its own.
std::set<std::string> seen_principals(const Call& call);

/// The session that a request names, and what its caller may do with it.
struct NamedSession {
  std::string key;
  SessionAccess access;
};
/// The session that `sessionKey` names; nothing with the refusal in `answer`.
std::optional<NamedSession> session_of(const Call& call, Answer& answer);
/// The same of a key that is known.
std::optional<NamedSession> session_named(const Call& call, std::string key, Answer& answer);
using SessionHandler = Task<Answer> (*)(CallPtr, NamedSession);
/// A method that is about a session which its caller may use; others are refused before it.
template <SessionHandler handler>
Task<Answer> on_session(CallPtr call) {
  Answer refusal;
  std::optional<NamedSession> named = session_of(*call, refusal);
  if (!named) co_return refusal;
  auto handling = handler(std::move(call), std::move(*named));
  co_return co_await std::move(handling);
}

/// Refuses a session which is not there.
Answer no_session(const std::string& key);
/// What the failure of a contract about a session is answered with.
Answer session_failed(const std::string& key, const Error& error);
/// A session as it is, never begun by looking. Errors: not_found, and the engine's.
Task<Result<Ref<SessionInfo>>> look_up(CallPtr call, SessionKey session);
/// What was said in a session. Errors: not_found, and the engine's.
Task<Result<Ref<SessionHistoryRows>>> history_of(CallPtr call, SessionKey session);

/// nullptr: there is no such method. Names of older clients are understood.
const Method* find_method(std::string_view name);
/// All of them, by name.
const std::vector<Method>& all_methods();

// methods_core.cpp
Task<Answer> connect(CallPtr call);
Task<Answer> health(CallPtr call);
Task<Answer> status(CallPtr call);
Task<Answer> agent_get(CallPtr call);
Task<Answer> agent_wait(CallPtr call);
Task<Answer> agent_identity(CallPtr call);
Task<Answer> agents_list(CallPtr call);
Task<Answer> models_list(CallPtr call);
Task<Answer> tenants_mine(CallPtr call);
Task<Answer> tenants_list(CallPtr call);
Task<Answer> quota_usage(CallPtr call);
Task<Answer> usage_summary(CallPtr call);
Task<Answer> skills_list(CallPtr call);
Task<Answer> skills_get(CallPtr call);

// methods_config.cpp
Task<Answer> config_get(CallPtr call);
Task<Answer> config_set(CallPtr call);
Task<Answer> config_patch(CallPtr call);
Task<Answer> config_schema(CallPtr call);
Task<Answer> config_defaults(CallPtr call);
Task<Answer> config_apply(CallPtr call);

// methods_chat.cpp
Task<Answer> chat_send(CallPtr call);
Task<Answer> chat_abort(CallPtr call);
Task<Answer> chat_inject(CallPtr call, NamedSession named);
Task<Answer> chat_history(CallPtr call, NamedSession named);
Task<Answer> chat_status(CallPtr call, NamedSession named);
Task<Answer> chat_resume(CallPtr call, NamedSession named);
/// What `connect` says of sessions to go on with, under `resume`, or as `sessionKey` and `lastSeq`.
Task<boost::json::array> resume_all(CallPtr call);

// methods_sessions.cpp
Task<Answer> sessions_list(CallPtr call);
Task<Answer> sessions_preview(CallPtr call, NamedSession named);
Task<Answer> sessions_patch(CallPtr call, NamedSession named);
Task<Answer> sessions_label(CallPtr call, NamedSession named);
Task<Answer> sessions_delete(CallPtr call, NamedSession named);
Task<Answer> sessions_reset(CallPtr call, NamedSession named);
Task<Answer> sessions_compact(CallPtr call, NamedSession named);

// methods_pairing.cpp
Task<Answer> pairing_status(CallPtr call);
Task<Answer> pair_request(CallPtr call);
Task<Answer> pair_approve(CallPtr call);
Task<Answer> pair_deny(CallPtr call);
Task<Answer> pair_list(CallPtr call);
Task<Answer> pair_revoke(CallPtr call);
Task<Answer> keys_list(CallPtr call);
Task<Answer> keys_create(CallPtr call);
Task<Answer> keys_revoke(CallPtr call);

// methods_cron.cpp
Task<Answer> cron_list(CallPtr call);
Task<Answer> cron_create(CallPtr call);
Task<Answer> cron_update(CallPtr call);
Task<Answer> cron_delete(CallPtr call);
Task<Answer> cron_toggle(CallPtr call);
Task<Answer> cron_status(CallPtr call);
Task<Answer> cron_run(CallPtr call);
Task<Answer> cron_runs(CallPtr call);

// methods_agents.cpp
Task<Answer> agents_create(CallPtr call);
Task<Answer> agents_update(CallPtr call);
Task<Answer> agents_delete(CallPtr call);
Task<Answer> agent_files_list(CallPtr call);
Task<Answer> agent_files_get(CallPtr call);
Task<Answer> agent_files_set(CallPtr call);

// methods_channels.cpp
Task<Answer> channels_list(CallPtr call);
Task<Answer> channels_status(CallPtr call);
Task<Answer> channels_toggle(CallPtr call);
Task<Answer> channel_instances(CallPtr call);
Task<Answer> channel_instance(CallPtr call);
Task<Answer> channel_send(CallPtr call);

// logs.cpp
Task<Answer> logs_tail(CallPtr call);

// methods_absent.cpp
Task<Answer> team_tasks(CallPtr call);
Task<Answer> teams_list(CallPtr call);
Task<Answer> agent_links(CallPtr call);
Task<Answer> hooks_list(CallPtr call);
Task<Answer> hooks_history(CallPtr call);
Task<Answer> voices_list(CallPtr call);
Task<Answer> heartbeat_get(CallPtr call);
Task<Answer> heartbeat_logs(CallPtr call);
Task<Answer> heartbeat_targets(CallPtr call);
Task<Answer> heartbeat_checklist(CallPtr call);
Task<Answer> tenant_users(CallPtr call);

// methods_approval.cpp
Task<Answer> approval_list(CallPtr call);
Task<Answer> approval_approve(CallPtr call);
Task<Answer> approval_deny(CallPtr call);

}  // namespace gantry::gateway
