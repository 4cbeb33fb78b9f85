// SPDX-License-Identifier: Apache-2.0
// Ending runs.
#include <gantry/contracts/session.hpp>
#include <gantry/contracts/turn.hpp>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "call.hpp"
#include "run_view.hpp"

namespace gantry::gateway {
namespace {

namespace json = boost::json;

constexpr std::int64_t kAbortWaitMs = 3'000;
constexpr std::int64_t kRememberStopMs = 60'000;

/// Which runs an abort means; nothing with the answer when it means none.
struct Aborting {
  std::vector<TurnStopRequest> stops;
  std::optional<Answer> answer;
};

json::object abort_report() {
  return {{"ok", true},
          {"aborted", false},
          {"stopped", false},
          {"forced", false},
          {"alreadyAborting", false},
          {"notFound", false},
          {"unauthorized", false},
          {"runIds", nullptr}};
}

Aborting read_abort(const Call& call) {
  Aborting out;
  const json::object& params = call.params();
  const std::string key = text(params, kSession);
  const std::string run = text(params, kRun);
  const std::string agent = text(params, kAgent);
  TurnStopRequest stop;
  stop.principal = call.who.principal;
  stop.turn = run;
  stop.reason = "chat.abort";
  if (!key.empty()) {
    const SessionAccess access = call.server.sessions().access(call.who, key);
    if (!access.allowed) {
      json::object report = abort_report();
      report["ok"] = false;
      report["unauthorized"] = true;
      out.answer = fine(std::move(report));
      return out;
    }
    stop.principal = access.session.principal;
    stop.session = access.session;
    out.stops.push_back(std::move(stop));
    return out;
  }
  if (!run.empty()) {
    if (!call.who.at_least(Role::Admin)) {
      out.answer = refused(wire::kInvalidRequest, "sessionKey is required");
      return out;
    }
    for (const std::string& principal : seen_principals(call)) {
      stop.principal = principal;
      out.stops.push_back(stop);
    }
    return out;
  }
  if (agent.empty()) {
    out.answer = refused(wire::kInvalidRequest, "sessionKey or runId is required");
    return out;
  }
  for (const SessionKey& session : call.server.feeds().agent_sessions(agent, call.who.principal)) {
    stop.session = session;
    out.stops.push_back(stop);
  }
  return out;
}

void add_turn(std::vector<StoppedTurn>& turns, const SessionKey& session, const std::string& id) {
  const bool known = std::any_of(turns.begin(), turns.end(),
                                 [&id](const StoppedTurn& turn) { return turn.turn == id; });
  if (!known) turns.push_back({session, id});
}

/// Runs that the engine does not have yet end here; for those that are on their way to it there
/// are stops that it remembers.
void stop_unbegun(const Call& call, Aborting& aborting, std::vector<StoppedTurn>& turns) {
  std::vector<TurnStopRequest> more;
  for (const TurnStopRequest& stop : aborting.stops) {
    for (const auto& [session, run] : call.server.feeds().unbegun(stop)) {
      add_turn(turns, session, run->id);
      if (run->stage == Run::Stage::Preparing) {
        call.server.feeds().end_unbegun(session, run);
      } else {
        more.push_back({session.principal, session, run->id, stop.reason, kRememberStopMs});
      }
    }
  }
  aborting.stops.insert(aborting.stops.begin(), more.begin(), more.end());
}

}  // namespace

Task<Answer> chat_abort(CallPtr call) {
  Aborting aborting = read_abort(*call);
  if (aborting.answer) co_return *aborting.answer;
  std::vector<StoppedTurn> turns;
  stop_unbegun(*call, aborting, turns);
  for (TurnStopRequest& stop : aborting.stops) {
    CallOptions options;
    options.lane = GANTRY_LANE_CONTROL;
    const auto stopped = co_await ask<TurnStop>(call->host(), std::move(stop), std::move(options));
    if (!stopped.ok()) co_return failed(stopped.error());
    for (const StoppedTurn& turn : (*stopped)->turns) add_turn(turns, turn.session, turn.turn);
  }
  call->release();
  json::object report = abort_report();
  report["notFound"] = turns.empty();
  if (turns.empty()) co_return fine(std::move(report));
  json::array ids;
  bool all_stopped = true;
  for (const StoppedTurn& turn : turns) {
    ids.push_back(json::value(turn.turn));
    const RunPtr run = call->server.feeds().find(turn.session, turn.turn);
    if (!run) continue;
    auto waiting = call->server.feeds().wait_end(run, kAbortWaitMs);
    if (!co_await std::move(waiting)) all_stopped = false;
  }
  report["aborted"] = true;
  report["stopped"] = all_stopped;
  report["forced"] = !all_stopped;
  report["runIds"] = std::move(ids);
  co_return fine(std::move(report));
}

}  // namespace gantry::gateway
