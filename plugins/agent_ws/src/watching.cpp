// SPDX-License-Identifier: Apache-2.0
// Turns whose events go to this socket: from the session's log to frames, live or once more.
#include <algorithm>
#include <utility>

#include "connection.hpp"
#include "turn_request.hpp"

namespace gantry::agent_ws {
namespace {

constexpr std::uint32_t kEventBatches = 8;  // on their way to us
constexpr std::string_view kNoSuchTurn = "Turn not found: there is nothing to resume";

}  // namespace

/// `after` is a number of the log, `shown` the last frame of the turn that the client has seen.
Connection::WatchedPtr Connection::watch(const std::string& conversation, const std::string& turn,
                                         std::uint64_t after, std::int64_t shown, Task task) {
  const TurnKey key{conversation, turn};
  const std::weak_ptr<Connection> weak = weak_from_this();
  TurnView::Sinks sinks;
  sinks.send = [this](std::string frame) { send(std::move(frame)); };
  sinks.on_error = [this](const ErrorBody& body) {
    server_.count(body.code, "a turn failed", body.message);
  };
  sinks.on_bundle = [this](const std::string& bundle, std::vector<std::string> calls) {
    server_.remember_bundle(principal_, bundle, std::move(calls));
  };
  auto watched = std::make_shared<WatchedTurn>();
  watched->view = std::make_unique<TurnView>(
      context(conversation, turn), TurnViewOptions{server_.settings().echo_tool_output, shown},
      std::move(sinks));
  watched->task = std::move(task);
  turns_[key] = watched;

  SessionWatchRequest request;
  request.session = session(conversation);
  request.after_sequence = after;
  request.turn = turn;
  StreamHandlers<SessionEvents> handlers;
  handlers.on_chunk = [weak, key](const Ref<SessionEvents>& events) {
    const auto self = weak.lock();
    if (self && self->state_ != State::Closed) self->on_events(key, *events);
  };
  handlers.on_end = [weak, key](const Error& end) {
    const auto self = weak.lock();
    if (!self || self->state_ == State::Closed) return;
    const auto found = self->turns_.find(key);
    if (found == self->turns_.end()) return;
    found->second->end = end;
    self->end_watch(key);
  };
  StreamOptions options;
  options.receive_credit = kEventBatches;
  options.manual_credit = true;
  auto opened =
      host().bus().open_stream<SessionWatch>(std::move(request), std::move(handlers), options);
  if (!opened.ok()) {
    turns_.erase(key);
    fail(turn, opened.error(), code_of(opened.error()));
    return watched;
  }
  watched->watch = std::move(*opened);
  return watched;
}

void Connection::on_events(const TurnKey& key, const SessionEvents& events) {
  const auto found = turns_.find(key);
  if (found == turns_.end()) return;
  const WatchedPtr turn = found->second;
  turn->doubtful = turn->doubtful && events.events.empty();
  ++turn->owed;
  for (const SessionEvent& event : events.events) {
    if (turn->waiting.empty() && !turn->view->needs_history()) {
      show(key, *turn, event);
    } else {
      turn->waiting.push_back(event);
    }
  }
  drain(key);
}

void Connection::show(const TurnKey& key, WatchedTurn& turn, const SessionEvent& event) {
  turn.view->take(event);
  if (turn.spoken) turn.spoken->take(event);
  if (turn.view->needs_history()) fetch_history(key);
}

void Connection::drain(const TurnKey& key) {
  const auto found = turns_.find(key);
  if (found == turns_.end()) return;
  const WatchedPtr turn = found->second;
  while (!turn->waiting.empty() && !turn->view->needs_history()) {
    const SessionEvent event = std::move(turn->waiting.front());
    turn->waiting.pop_front();
    show(key, *turn, event);
  }
  if (outbox_.has_room()) return_credit(*turn);
  end_watch(key);
}

/// Forgets a turn whose watch has ended, once all of it was shown.
void Connection::end_watch(const TurnKey& key) {
  const auto found = turns_.find(key);
  if (found == turns_.end()) return;
  const WatchedPtr turn = found->second;
  if (!turn->end || !turn->waiting.empty() || turn->view->needs_history()) return;
  turns_.erase(found);
  if (turn->end->code == Code::Ok && turn->doubtful) {
    return error({}, kNoSuchTurn, AgentErrorCode::SESSION_ERROR);
  }
  if (turn->end->code != Code::Ok && !turn->view->over()) {
    fail(key.second, *turn->end, code_of(*turn->end));
  }
}

void Connection::fetch_history(const TurnKey& key) {
  const std::weak_ptr<Connection> weak = weak_from_this();
  host().bus().call<SessionHistory>({session(key.first)},
                                    [weak, key](Result<Ref<SessionHistoryRows>> rows) {
                                      const auto self = weak.lock();
                                      if (!self || self->state_ == State::Closed) return;
                                      const auto found = self->turns_.find(key);
                                      if (found == self->turns_.end()) return;
                                      if (rows.ok()) {
                                        found->second->view->give_history(**rows);
                                      } else {
                                        found->second->view->skip_history();
                                      }
                                      self->drain(key);
                                    });
}

void Connection::return_credit(WatchedTurn& turn) {
  if (turn.owed > 0 && turn.waiting.empty()) turn.watch.grant(std::exchange(turn.owed, 0));
}

void Connection::silence(const StoppedTurn& stopped) {
  if (stopped.session.workspace != kWorkspace) return;
  const auto found = turns_.find({stopped.session.key, stopped.turn});
  if (found != turns_.end()) found->second->view->silence();
  hush(stopped.session.key, stopped.turn);
}

/// Sends what a client has missed of a turn, then goes on live.
void Connection::resume(const ResumePoint& point) {
  last_conversation_ = point.conversation_ref;
  SessionOpenRequest request;
  request.session = session(point.conversation_ref);
  request.create = false;
  const std::weak_ptr<Connection> weak = weak_from_this();
  host().bus().call<SessionOpen>(std::move(request), [weak, point](Result<Ref<SessionInfo>> info) {
    const auto self = weak.lock();
    if (!self || self->state_ == State::Closed) return;
    if (info.ok()) return self->resume_turn(point, **info);
    if (info.error().code != Code::NotFound) {
      return self->fail({}, info.error(), code_of(info.error()));
    }
    self->error({}, "Conversation not found: there is nothing to resume",
                AgentErrorCode::SESSION_ERROR);
  });
}

void Connection::resume_turn(const ResumePoint& point, const SessionInfo& info) {
  const std::string& conversation = point.conversation_ref;
  const bool latest = point.turn_ref.empty();
  if (latest && !info.running_turn.empty()) {
    watch(conversation, info.running_turn, 0, point.after_sequence, make_task());
    for (const std::string& queued : info.queued_turns) {
      watch(conversation, queued, 0, 0, make_task());
    }
    return;
  }
  const auto& queued = info.queued_turns;
  if (!latest && (point.turn_ref == info.running_turn ||
                  std::find(queued.begin(), queued.end(), point.turn_ref) != queued.end())) {
    watch(conversation, point.turn_ref, 0, point.after_sequence, make_task());
    return;
  }
  const std::weak_ptr<Connection> weak = weak_from_this();
  host().bus().call<SessionHistory>({session(conversation)},
                                    [weak, point](Result<Ref<SessionHistoryRows>> rows) {
                                      const auto self = weak.lock();
                                      if (!self || self->state_ == State::Closed) return;
                                      if (!rows.ok())
                                        return self->fail({}, rows.error(), code_of(rows.error()));
                                      self->resume_ended(point, (*rows)->rows);
                                    });
}

/// The turn that is named, or that of the history's latest row. A compaction or a rehydration takes
/// rows out of the history, but nothing out of the log: whether there was such a turn shows there.
void Connection::resume_ended(const ResumePoint& point, const std::vector<HistoryRow>& rows) {
  std::string turn = point.turn_ref;
  if (turn.empty()) {
    const auto latest = std::find_if(rows.rbegin(), rows.rend(),
                                     [](const HistoryRow& row) { return !row.turn.empty(); });
    if (latest == rows.rend()) return error({}, kNoSuchTurn, AgentErrorCode::SESSION_ERROR);
    turn = latest->turn;
  }
  watch(point.conversation_ref, turn, 0, point.after_sequence, make_task())->doubtful = true;
}

}  // namespace gantry::agent_ws
