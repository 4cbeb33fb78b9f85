// SPDX-License-Identifier: Apache-2.0
#include "feeds.hpp"

#include <gantry/codec.hpp>
#include <gantry/contract.hpp>

#include <algorithm>
#include <chrono>
#include <utility>

#include "connection.hpp"
#include "frame.hpp"
#include "server.hpp"
#include "session_keys.hpp"

namespace gantry::gateway {
namespace {

namespace json = boost::json;

void add_member(std::string& members, std::string_view name, std::string_view value) {
  if (!members.empty()) members += ',';
  codec::write_string(members, name);
  members += ':';
  codec::write_string(members, value);
}

std::string envelope(const Run& run, const RunEvent& event) {
  std::string members;
  add_member(members, "type", event.type);
  add_member(members, "agentId", run.agent);
  add_member(members, "runId", run.id);
  add_member(members, "userId", run.user);
  add_member(members, "channel", kChannel);
  add_member(members, "chatId", run.chat);
  add_member(members, "sessionKey", run.key);
  return members;
}

std::string agent_key_of(const Server& server, const std::string& key) {
  const std::string named = parts_of(key).agent;
  return named.empty() ? server.agents().usual()->key : named;
}

std::string_view decision_word(Decision decision) {
  switch (decision) {
    case Decision::Allow: return "allow-once";
    case Decision::AllowAlways: return "allow-always";
    case Decision::Deny: return "deny";
    case Decision::Open: break;
  }
  return "open";
}

}  // namespace

Outgoing wrapped_event(const Run& run, const RunEvent& event) {
  Outgoing out;
  out.seq = event.seq;
  out.run = run.id + "/wrapped/";
  std::string members = envelope(run, event);
  if (event.is_text) {
    out.join = out.run + event.type;
    out.event = "agent";
    out.envelope = std::move(members);
    out.nested = true;
    out.text = event.text;
    return out;
  }
  if (!event.payload.is_null()) members += R"(,"payload":)" + codec::serialize(event.payload);
  out.frame = write_event_of("agent", '{' + members + '}', event.seq);
  return out;
}

Outgoing flat_event(const Run& run, const RunEvent& event) {
  Outgoing out;
  out.seq = event.seq;
  out.run = run.id + "/flat/";
  std::string members;
  if (!event.is_text && event.payload.is_object()) {
    members = codec::serialize(event.payload);
    members = members.substr(1, members.size() - 2);  // without its braces
  }
  add_member(members, "runId", run.id);
  add_member(members, "sessionKey", run.key);
  if (event.is_text) {
    out.join = out.run + event.type;
    out.event = event.type;
    out.envelope = std::move(members);
    out.text = event.text;
    return out;
  }
  out.frame = write_event_of(event.type, '{' + members + '}', event.seq);
  return out;
}

json::object approval_row(const Approval& approval, const std::string& key,
                          const std::string& agent) {
  json::object row{{"id", approval.id},
                   {"command", approval.description},
                   {"agentId", agent},
                   {"createdAt", approval.created_ms},
                   {"expiresAt", approval.expires_ms},
                   {"tool", approval.tool},
                   {"sessionKey", key},
                   {"runId", approval.turn}};
  row["arguments"] = value_of(approval.arguments);
  return row;
}

Feeds::FeedPtr Feeds::feed(const SessionKey& session, const std::string& key,
                           const std::string& user) {
  FeedPtr& slot = feeds_[session];
  if (!slot) {
    slot = std::make_shared<Feed>();
    slot->session = session;
    slot->key = key;
    slot->user = user;
  }
  return slot;
}

RunPtr Feeds::expect(const SessionKey& session, Run run) {
  auto made = std::make_shared<Run>(std::move(run));
  made->stage = Run::Stage::Preparing;
  feed(session, made->key, made->user)->runs[made->id] = made;
  return made;
}

void Feeds::forget(const SessionKey& session, const std::string& run) {
  const auto found = feeds_.find(session);
  if (found == feeds_.end()) return;
  const FeedPtr feed = found->second;
  feed->runs.erase(run);
  drop_idle(feed);
}

void Feeds::end_unbegun(const SessionKey& session, const RunPtr& run) {
  const auto found = feeds_.find(session);
  if (found == feeds_.end() || run->ended) return;
  const FeedPtr feed = found->second;
  end_here(feed, run, TurnEnd::Cancelled, "stopped before it began");
  run->ended->error = "stopped before it began";
  drop_idle(feed);
}

std::vector<std::pair<SessionKey, RunPtr>> Feeds::unbegun(const TurnStopRequest& stop) const {
  std::vector<std::pair<SessionKey, RunPtr>> out;
  for (const auto& [name, feed] : feeds_) {
    if (name.principal != stop.principal) continue;
    if (stop.session && name != *stop.session) continue;
    for (const auto& [id, run] : feed->runs) {
      const bool meant = stop.turn.empty() || stop.turn == id;
      if (meant && run->stage != Run::Stage::Started) out.emplace_back(name, run);
    }
  }
  return out;
}

void Feeds::follow(const SessionKey& session, const std::string& key, const std::string& user,
                   std::optional<std::uint64_t> after) {
  const FeedPtr made = feed(session, key, user);
  if (made->open) return;
  SessionWatchRequest request;
  request.session = session;
  request.after_sequence = after.value_or(0);
  request.live_only = !after.has_value();
  StreamHandlers<SessionEvents> handlers;
  const std::weak_ptr<Feed> weak = made;
  handlers.on_chunk = [this, weak](const Ref<SessionEvents>& events) {
    if (const FeedPtr self = weak.lock()) on_events(self, *events);
  };
  handlers.on_end = [this, weak](const Error& end) {
    if (const FeedPtr self = weak.lock()) on_end(self, end);
  };
  auto opened =
      server_.host().bus().open_stream<SessionWatch>(std::move(request), std::move(handlers));
  if (!opened.ok()) return on_end(made, opened.error());
  made->watch = std::move(*opened);
  made->open = true;
}

void Feeds::look(std::uint64_t connection, const SessionKey& session, const std::string& key,
                 const std::string& user) {
  constexpr std::size_t kMostLooked = 64;  // by one connection: older ones are no longer followed
  std::vector<FeedPtr> looked;
  for (const auto& [name, feed] : feeds_) {
    if (feed->lookers.contains(connection)) looked.push_back(feed);
  }
  if (looked.size() >= kMostLooked) {
    looked.front()->lookers.erase(connection);
    drop_idle(looked.front());
  }
  feed(session, key, user)->lookers.insert(connection);
  follow(session, key, user, std::nullopt);
}

void Feeds::gone(std::uint64_t connection) {
  std::vector<FeedPtr> looked;
  for (const auto& [name, feed] : feeds_) {
    if (feed->lookers.erase(connection) != 0) looked.push_back(feed);
  }
  for (const FeedPtr& feed : looked) drop_idle(feed);
}

void Feeds::close() {
  const auto feeds = std::exchange(feeds_, {});
  for (const auto& [name, feed] : feeds) feed->watch = {};
}

RunPtr Feeds::find(const SessionKey& session, const std::string& run) const {
  const auto found = feeds_.find(session);
  if (found == feeds_.end()) return nullptr;
  const auto row = found->second->runs.find(run);
  return row == found->second->runs.end() ? nullptr : row->second;
}

std::vector<RunPtr> Feeds::runs(const SessionKey& session) const {
  std::vector<RunPtr> out;
  const auto found = feeds_.find(session);
  if (found == feeds_.end()) return out;
  for (const auto& [id, run] : found->second->runs) out.push_back(run);
  return out;
}

std::vector<SessionKey> Feeds::agent_sessions(const std::string& agent,
                                              const std::string& principal) const {
  std::vector<SessionKey> out;
  for (const auto& [name, feed] : feeds_) {
    if (name.principal != principal) continue;
    const bool runs = std::any_of(feed->runs.begin(), feed->runs.end(),
                                  [&](const auto& row) { return row.second->agent == agent; });
    if (runs) out.push_back(name);
  }
  return out;
}

Task<bool> Feeds::wait_end(RunPtr run, std::int64_t ms) {
  if (run->ended) co_return true;
  struct Waiting {
    std::function<void(bool)> done;
    Timer timer;
    void finish(bool in_time) {
      if (done) std::exchange(done, nullptr)(in_time);
    }
  };
  auto waiting = std::make_shared<Waiting>();
  // By reference: GCC 12 destroys what a closure in an await expression holds twice.
  co_return co_await completion<bool>([this, &run, &waiting, ms](auto done) {
    waiting->done = std::move(done);
    run->on_end.push_back([waiting] { waiting->finish(true); });
    const std::weak_ptr<Waiting> weak = waiting;
    waiting->timer = server_.host().after(std::chrono::milliseconds(ms), [weak] {
      if (const auto late = weak.lock()) late->finish(false);
    });
  });
}

std::size_t Feeds::agent_runs(const std::string& agent) const {
  std::size_t count = 0;
  for (const auto& [name, feed] : feeds_) {
    for (const auto& [id, run] : feed->runs) count += run->agent == agent ? 1 : 0;
  }
  return count;
}

void Feeds::on_events(const FeedPtr& feed, const SessionEvents& events) {
  for (const SessionEvent& event : events.events) on_event(feed, event);
  drop_idle(feed);
}

void Feeds::on_event(const FeedPtr& feed, const SessionEvent& event) {
  if (event.kind == EventKind::ApprovalRequested || event.kind == EventKind::ApprovalAnswered) {
    return on_approval(feed, event);
  }
  if (event.turn.empty()) return;
  RunPtr& slot = feed->runs[event.turn];
  if (!slot) {
    slot = std::make_shared<Run>();
    slot->id = event.turn;
    slot->key = feed->key;
    slot->user = feed->user;
    slot->agent = agent_key_of(server_, feed->key);
    slot->chat = parts_of(feed->key).chat;
  }
  const RunPtr run = slot;
  for (const RunEvent& made : run->view.take(event)) deliver(*feed, run, made);
  if (run->view.over()) finish(feed, run);
}

void Feeds::deliver(const Feed& feed, const RunPtr& run, const RunEvent& event) {
  Outgoing wrapped = wrapped_event(*run, event);
  const auto origin = run->origin.lock();
  const auto audience = server_.audience(feed.session.principal);
  if (!audience.empty()) {
    for (auto one = audience.begin(); one + 1 != audience.end(); ++one) {
      (*one)->of_session(run->key, wrapped);
    }
    audience.back()->of_session(run->key, std::move(wrapped));  // mostly it is the only one
  }
  if (origin && origin->who().sees(feed.session.principal)) {
    origin->of_session(run->key, flat_event(*run, event));
  }
}

void Feeds::finish(const FeedPtr& feed, const RunPtr& run) {
  feed->runs.erase(run->id);
  const RunEnd& end = run->view.end();
  server_.usage().tokens(end.model, end.input_tokens, end.output_tokens, server_.now_ms());
  run->ended = end;
  if (run->waiting) std::exchange(run->waiting, nullptr)(end);
  for (const auto& done : std::exchange(run->on_end, {})) done();
}

void Feeds::on_approval(const FeedPtr& feed, const SessionEvent& event) {
  const auto approval = from_json<Approval>(event.body.text);
  if (!approval.ok()) return;
  // To those whom exec.approval.list shows it.
  const auto may = [&feed](const Identity& who) {
    return who.may(Scope::Approvals) &&
           (who.at_least(Role::Admin) || who.principal == feed->session.principal);
  };
  if (event.kind == EventKind::ApprovalRequested) {
    return server_.broadcast("exec.approval.requested",
                             approval_row(*approval, feed->key, agent_key_of(server_, feed->key)),
                             may);
  }
  server_.broadcast("exec.approval.resolved",
                    json::object{{"id", approval->id},
                                 {"decision", decision_word(approval->decision)},
                                 {"by", approval->by},
                                 {"sessionKey", feed->key}},
                    may);
}

/// The engine has ended the log's stream: the session is gone, or the engine is.
void Feeds::on_end(const FeedPtr& feed, const Error& end) {
  feed->open = false;
  const auto runs = std::exchange(feed->runs, {});
  for (const auto& [id, run] : runs) {
    end_here(feed, run, TurnEnd::Failed,
             end.message.empty() ? "the session was deleted" : end.message);
  }
  feeds_.erase(feed->session);
}

/// As the log would say it, which does not.
void Feeds::end_here(const FeedPtr& feed, const RunPtr& run, TurnEnd how, std::string reason) {
  SessionEvent event;
  event.kind = EventKind::TurnFinished;
  event.turn = run->id;
  TurnFinishedBody body;
  body.end = how;
  body.reason = std::move(reason);
  event.body = Json(to_json(body));
  for (const RunEvent& made : run->view.take(event)) deliver(*feed, run, made);
  finish(feed, run);
}

void Feeds::drop_idle(const FeedPtr& feed) {
  if (!feed->runs.empty() || !feed->lookers.empty()) return;
  const auto found = feeds_.find(feed->session);
  if (found == feeds_.end() || found->second != feed) return;
  feeds_.erase(found);
  // Its own handler may be running: the stream goes a moment later.
  server_.host().post([feed] { feed->watch = {}; });
}

}  // namespace gantry::gateway
