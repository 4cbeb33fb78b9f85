// SPDX-License-Identifier: Apache-2.0
// Talking: messages, runs, history.
#include <gantry/contracts/session.hpp>
#include <gantry/contracts/turn.hpp>
#include <gantry/contracts/workspace.hpp>
#include <gantry/workspace_defaults.hpp>

#include <chrono>
#include <utility>

#include "call.hpp"
#include "replay.hpp"
#include "rows.hpp"
#include "run_view.hpp"
#include "session_keys.hpp"
#include "text.hpp"

namespace gantry::gateway {
namespace {

namespace json = boost::json;

constexpr std::size_t kLongestMessage = 32'000;  // characters
constexpr std::size_t kLongestLabel = 100;
constexpr std::string_view kSilent = "NO_REPLY";
constexpr std::string_view kModelOverride = "modelOverride";  // in a session's metadata

/// What a chat.send is about, checked.
struct Message {
  AgentPtr agent;
  std::string key;
  SessionAccess access;
  std::string text;
  std::vector<std::string> attachments;
};

std::vector<std::string> attachments_of(const json::object& params) {
  std::vector<std::string> out;
  const json::value* media = find(params, "media");
  if (media == nullptr || !media->is_array()) return out;
  for (const json::value& item : media->get_array()) {
    if (item.is_string()) out.emplace_back(item.get_string());
    if (item.is_object()) out.push_back(text(item.get_object(), {"path", "id"}));
  }
  return out;
}

/// Nothing when it is in order.
std::optional<Answer> read_message(Call& call, Message& out) {
  const Server& server = call.server;
  const json::object& params = call.params();
  const std::string& limited = call.who.user.empty() ? call.connection->id() : call.who.user;
  if (!call.server.chat_rate().take(limited, call.host().monotonic_ns())) {
    return refused(wire::kInvalidRequest, "rate limit exceeded — please wait");
  }
  if (!call.frame.params_are_object) return refused(wire::kInvalidRequest, "invalid JSON");
  out.key = text(params, kSession);
  std::string agent = text(params, kAgent);
  if (agent.empty() && !is_foreign(out.key)) agent = parts_of(out.key).agent;
  out.agent = agent.empty() ? server.agents().usual() : server.agents().find(agent);
  if (out.agent == nullptr) return refused(wire::kNotFound, "agent not found: " + agent);
  if (call.who.user.empty()) return refused(wire::kInvalidRequest, "user_id is required");
  if (out.key.empty()) {
    const Result<std::string> id = new_uuid();
    if (!id.ok()) return failed(id.error());
    out.key = make_key(out.agent->key, *id);
  }
  if (out.key.size() > kLongestKey) {
    return refused(wire::kInvalidRequest, "sessionKey is too long");
  }
  out.access = call.server.sessions().access(call.who, out.key);
  if (!out.access.allowed) return refused(wire::kUnauthorized, "permission denied: session");
  out.text = beginning(text(params, kMessage), kLongestMessage);
  out.attachments = attachments_of(params);
  return std::nullopt;
}

/// A single word names a workspace.
bool is_folder(std::string_view workspace) {
  return workspace.starts_with('~') || workspace.find('/') != std::string_view::npos;
}

TurnStartRequest turn_of(const Call& call, const Message& message, const std::string& run,
                         const std::string& model) {
  TurnStartRequest request;
  request.session = message.access.session;
  request.turn = run;
  request.text = message.text;
  if (trimmed(message.text).empty()) {
    // The protocol takes a message without words; the engine wants to be told something.
    ContentBlock nothing;
    nothing.kind = ContentKind::Text;
    request.content.push_back(std::move(nothing));
  }
  request.attachments = message.attachments;
  request.caller = "gateway_v3:" + call.who.user;
  TurnOptions& options = request.options;
  options.model = model.empty() ? message.agent->model : model;
  options.tools = tool_policy(call.server.settings(), *message.agent);
  for (const std::string& name : agent_files()) {
    const std::string* words = call.server.agents().file(message.agent->key, name);
    if (words != nullptr && is_told(name) && !words->empty()) {
      options.layers.push_back({name, {}, "# " + name + "\n\n" + *words});
    }
  }
  if (!message.agent->system_prompt.empty()) options.system_prompt = message.agent->system_prompt;
  options.linger_ms = -1;  // runs go on when their client has gone
  return request;
}

/// What workspaces say counts, the session's own before the one that the agent names; of policies
/// each. Nothing when all is well.
Task<std::optional<Answer>> use_workspaces(CallPtr call, AgentPtr agent, TurnStartRequest& turn) {
  TurnOptions& options = turn.options;
  if (turn.session.workspace != kWorkspace) {
    WorkspaceRef own{turn.session.principal, turn.session.workspace, true};
    const auto found = co_await ask<WorkspaceGet>(call->host(), std::move(own));
    if (found.ok()) {
      apply_workspace(**found, options);
    } else if (!is_no_workspace(found.error())) {
      co_return failed(found.error().with_context("the session's workspace"));
    }
  }
  if (agent->workspace.empty()) co_return std::nullopt;
  if (is_folder(agent->workspace)) {
    if (options.workspace_path.empty()) options.workspace_path = agent->workspace;
    co_return std::nullopt;
  }
  WorkspaceRef named{turn.session.principal, agent->workspace};
  const auto found = co_await ask<WorkspaceGet>(call->host(), std::move(named));
  if (!found.ok()) {
    const Error problem = found.error().with_context("the agent's workspace " + agent->workspace);
    co_return failed(problem);
  }
  apply_workspace(**found, options);
  co_return std::nullopt;
}

Answer run_answer(const Run& run, const RunEnd& end) {
  json::object payload{{"runId", run.id}, {"sessionKey", run.key}};
  switch (end.end) {
    case TurnEnd::Completed:
    case TurnEnd::Limit:
      payload["content"] = end.content == kSilent ? std::string() : end.content;
      payload["usage"] = usage_of(end);
      if (!end.thinking.empty()) payload["thinking"] = end.thinking;
      if (!end.media.is_null()) payload["media"] = end.media;
      return fine(std::move(payload));
    case TurnEnd::Cancelled:
    case TurnEnd::Abandoned:
      payload["cancelled"] = true;
      if (!end.error.empty()) payload["reason"] = end.error;
      return fine(std::move(payload));
    case TurnEnd::Failed:
    case TurnEnd::Restarted: break;
  }
  return refused(wire::kInternal, end.error);
}

/// A message for a run that is under way: it stops it, or it is told to it. Nothing when the run
/// has ended meanwhile, or too much waits: then a run of its own begins.
Task<std::optional<Answer>> interrupt(CallPtr call, Message message) {
  if (is_stop_word(message.text)) {
    TurnStopRequest stop;
    stop.principal = message.access.session.principal;
    stop.session = message.access.session;
    stop.reason = "the user said so";
    CallOptions options;
    options.lane = GANTRY_LANE_CONTROL;
    const auto stopped = co_await ask<TurnStop>(call->host(), std::move(stop), std::move(options));
    if (!stopped.ok()) co_return failed(stopped.error());
    co_return fine(json::object{
        {"cancelled", true}, {"aborted", !(*stopped)->turns.empty()}, {"sessionKey", message.key}});
  }
  if (!message.attachments.empty()) co_return std::nullopt;
  TurnInjectRequest request;
  request.session = message.access.session;
  request.text = message.text;
  const auto told = co_await ask<TurnInject>(call->host(), std::move(request));
  if (!told.ok()) co_return std::nullopt;
  co_return fine(json::object{{"injected", true}, {"sessionKey", message.key}});
}

/// Waits for the end of a run.
Task<RunEnd> ended(RunPtr run) {
  if (run->ended) co_return *run->ended;
  // By reference: GCC 12 destroys what a closure in an await expression holds twice.
  co_return co_await completion<RunEnd>([&run](auto done) { run->waiting = std::move(done); });
}

std::string model_override(const Result<Ref<SessionInfo>>& info) {
  if (!info.ok()) return {};
  const json::value metadata = value_of((*info)->metadata);
  return metadata.is_object() ? text(metadata.get_object(), kModelOverride) : std::string();
}

Task<Answer> start_run(CallPtr call, Message message, bool fresh, std::string model) {
  Server& server = call->server;
  const Result<std::string> id = new_uuid();
  if (!id.ok()) co_return failed(id.error());
  // Somebody else may have begun a session of this name meanwhile.
  message.access = server.sessions().access(call->who, message.key);
  if (!message.access.allowed) co_return refused(wire::kUnauthorized, "permission denied: session");
  if (!message.access.known && !is_foreign(message.key)) {
    SessionOwner owner{call->who.user, call->who.principal, message.agent->key};
    Host& host = server.host();
    // The run does not wait for it: the engine keeps sessions apart by principal anyway.
    server.run(server.sessions().own(message.key, std::move(owner)), [&host](const Result<void>&
                                                                                 owned) {
      if (owned.ok()) return;
      host.log().warn("the owner of a session is not kept", {{"reason", owned.error().message}});
    });
  }
  Run made;
  made.id = *id;
  made.agent = message.agent->key;
  made.key = message.key;
  made.user = message.access.user;
  made.chat = parts_of(message.key).chat;
  made.origin = call->connection;
  TurnStartRequest request = turn_of(*call, message, made.id, model);
  const RunPtr run = server.feeds().expect(message.access.session, std::move(made));
  auto asking = use_workspaces(call, message.agent, request);
  const std::optional<Answer> no_workspace = co_await std::move(asking);
  if (run->ended) co_return run_answer(*run, *run->ended);  // stopped meanwhile
  if (no_workspace) {
    server.feeds().forget(message.access.session, run->id);
    co_return *no_workspace;
  }
  run->stage = Run::Stage::Starting;
  const bool hold = fresh && call->connection->is_web_ui() && server.settings().new_chat_hold > 0;
  if (hold) call->connection->hold(message.key, server.settings().new_chat_hold);
  const auto started = co_await ask<TurnStart>(call->host(), std::move(request));
  if (!started.ok()) {
    if (hold) call->connection->release(message.key);
    if (started.error().code == Code::Aborted) {
      server.feeds().end_unbegun(message.access.session, run);
      if (run->ended) co_return run_answer(*run, *run->ended);
    }
    server.feeds().forget(message.access.session, run->id);
    co_return failed(started.error());
  }
  run->stage = Run::Stage::Started;
  server.usage().request(call->who.user, server.now_ms());
  server.feeds().follow(message.access.session, message.key, message.access.user,
                        (*started)->sequence - 1);
  call->after_session = message.key;
  call->release();
  auto waiting = ended(run);
  const RunEnd end = co_await std::move(waiting);
  co_return run_answer(*run, end);
}

}  // namespace

Task<Answer> chat_send(CallPtr call) {
  Message message;
  if (const auto no = read_message(*call, message)) co_return *no;
  auto looking = look_up(call, message.access.session);
  const auto info = co_await std::move(looking);
  if (!info.ok() && info.error().code != Code::NotFound) co_return failed(info.error());
  if (!info.ok() && is_foreign(message.key)) {
    co_return no_session(message.key);
  }
  if (info.ok() && !(*info)->running_turn.empty()) {
    auto interrupting = interrupt(call, message);
    const std::optional<Answer> done = co_await std::move(interrupting);
    if (done) co_return *done;
  }
  const bool fresh = !info.ok() || (*info)->messages == 0;
  std::string model = text(call->params(), "modelOverride");
  if (model.empty()) model = model_override(info);
  auto running = start_run(call, std::move(message), fresh, std::move(model));
  co_return co_await std::move(running);
}

Task<Answer> chat_inject(CallPtr call, NamedSession named) {
  const std::string message = text(call->params(), kMessage);
  if (message.empty()) co_return refused(wire::kInvalidRequest, "message is required");
  const std::string label(beginning(text(call->params(), "label"), kLongestLabel));
  const Result<std::string> id = new_uuid();
  if (!id.ok()) co_return failed(id.error());
  auto looking = look_up(call, named.access.session);
  const auto info = co_await std::move(looking);
  if (!info.ok()) co_return no_session(named.key);
  SessionAppendRequest request;
  request.session = named.access.session;
  request.row.id = *id;
  request.row.role = RowRole::Assistant;
  request.row.type = RowType::AssistantResponse;
  request.row.text = label.empty() ? message : "[" + label + "]\n\n" + message;
  const auto added = co_await ask<SessionAppend>(call->host(), std::move(request));
  if (!added.ok()) co_return failed(added.error());
  co_return fine(json::object{{"ok", true}, {"messageId", *id}});
}

Task<Answer> chat_history(CallPtr call, NamedSession named) {
  auto reading = history_of(call, named.access.session);
  const auto rows = co_await std::move(reading);
  if (!rows.ok() && rows.error().code != Code::NotFound) co_return failed(rows.error());
  if (!rows.ok()) {
    if (call->who.at_least(Role::Admin)) co_return fine(json::object{{"messages", json::array()}});
    co_return no_session(named.key);
  }
  call->server.feeds().look(call->connection->number(), named.access.session, named.key,
                            named.access.user);
  co_return fine(json::object{{"messages", history_rows((*rows)->rows)}});
}

Task<Answer> chat_status(CallPtr call, NamedSession named) {
  auto looking = look_up(call, named.access.session);
  const auto info = co_await std::move(looking);
  json::object payload{{"isRunning", false}, {"runId", ""}, {"activity", nullptr}};
  if (info.ok()) {
    // One that waits for its turn is under way for whoever asked for it.
    const auto& queued = (*info)->queued_turns;
    const std::string run =
        (*info)->running_turn.empty() && !queued.empty() ? queued.front() : (*info)->running_turn;
    if (!run.empty()) {
      payload["isRunning"] = true;
      payload["runId"] = run;
      payload["activity"] = json::object{{"phase", (*info)->phase},
                                         {"tool", (*info)->running_tool},
                                         {"iteration", (*info)->iteration}};
    }
    call->server.feeds().look(call->connection->number(), named.access.session, named.key,
                              named.access.user);
  } else if (info.error().code != Code::NotFound) {
    co_return failed(info.error());
  }
  // The client has found its way to the session: what was kept back for it follows the answer. For
  // this client a run whose end was kept back goes on.
  const std::string held = call->connection->held_run(named.key);
  if (!held.empty()) {
    payload["isRunning"] = true;
    payload["runId"] = held;
  }
  const std::weak_ptr<Connection> weak = call->connection;
  call->afterwards = [weak, key = named.key] {
    if (const auto connection = weak.lock()) connection->release(key);
  };
  co_return fine(std::move(payload));
}

namespace {

/// Once more what was missed: `agent` events after `seen`, then live.
Task<Answer> resume(CallPtr call, NamedSession named, std::uint64_t seen) {
  call->connection->hold(named.key, 0);
  call->server.feeds().look(call->connection->number(), named.access.session, named.key,
                            named.access.user);
  auto replaying = replay(call, named.access, named.key, seen);
  const Result<Replayed> replayed = co_await std::move(replaying);
  if (!replayed.ok()) {
    call->connection->release(named.key);
    co_return failed(replayed.error());
  }
  call->connection->release(named.key, replayed->last);
  co_return fine(
      json::object{{"ok", true}, {"replayed", replayed->events}, {"lastSeq", replayed->last}});
}

std::uint64_t last_seq(const json::object& in) {
  const std::int64_t last = integer(in, {"lastSeq", "last_seq"}).value_or(0);
  return static_cast<std::uint64_t>(last < 0 ? 0 : last);
}

/// What one entry of `resume` is answered with.
json::object resumed_row(std::string key, const Answer& answer) {
  json::object row{{"sessionKey", std::move(key)}, {"ok", answer.ok}};
  if (!answer.ok) {
    row["error"] = json::object{{"code", answer.code}, {"message", answer.message}};
    return row;
  }
  for (const auto& member : answer.payload.get_object()) row[member.key()] = member.value();
  return row;
}

}  // namespace

Task<Answer> chat_resume(CallPtr call, NamedSession named) {
  const std::uint64_t seen = last_seq(call->params());
  auto resuming = resume(call, std::move(named), seen);
  co_return co_await std::move(resuming);
}

Task<json::array> resume_all(CallPtr call) {
  constexpr std::size_t kMostResumed = 64;
  json::array rows;
  std::vector<json::object> asked;
  if (const json::value* list = find(call->params(), "resume"); list && list->is_array()) {
    for (const json::value& item : list->get_array()) {
      if (item.is_object() && asked.size() < kMostResumed) asked.push_back(item.get_object());
    }
  } else if (find(call->params(), {"lastSeq", "last_seq"}) != nullptr) {
    asked.push_back(call->params());
  }
  for (const json::object& one : asked) {
    Answer answer;
    std::string key = text(one, kSession);
    auto named = session_named(*call, key, answer);
    if (!call->who.may(Scope::Read)) {  // what chat.resume asks for, and connect does not
      answer = refused(wire::kUnauthorized,
                       "permission denied: chat.resume requires scope operator.read");
    } else if (named) {
      auto resuming = resume(call, std::move(*named), last_seq(one));
      answer = co_await std::move(resuming);
    }
    rows.push_back(resumed_row(std::move(key), answer));
  }
  co_return rows;
}

}  // namespace gantry::gateway
