// SPDX-License-Identifier: Apache-2.0
#include "engine_run.hpp"

#include <gantry/contract.hpp>

#include <utility>

namespace gantry::scheduler {
namespace {

ScheduledRunStatus status_of(TurnEnd end) {
  switch (end) {
    case TurnEnd::Completed: return ScheduledRunStatus::Succeeded;
    case TurnEnd::Cancelled: return ScheduledRunStatus::Stopped;
    case TurnEnd::Restarted: return ScheduledRunStatus::Interrupted;
    case TurnEnd::Abandoned:
    case TurnEnd::Failed:
    case TurnEnd::Limit: return ScheduledRunStatus::Failed;
  }
  return ScheduledRunStatus::Failed;
}

}  // namespace

void EngineRun::start(const std::string& title, bool stateless) {
  SessionOpenRequest request;
  request.session = turn_.session;
  request.title = title;
  host_.bus().call<SessionOpen>(std::move(request), [weak = weak_from_this(), stateless](
                                                        const Result<Ref<SessionInfo>>& info) {
    const auto self = weak.lock();
    if (!self) return;
    if (!info.ok()) return self->fail(info.error());
    if (stateless && (*info)->messages > 0) return self->empty();
    self->begin();
  });
}

void EngineRun::empty() {
  SessionRehydrateRequest request;
  request.session = turn_.session;
  request.source = "scheduler";
  host_.bus().call<SessionRehydrate>(
      std::move(request), [weak = weak_from_this()](const Result<Ref<SessionHistoryRows>>& rows) {
        const auto self = weak.lock();
        if (!self) return;
        if (!rows.ok()) return self->fail(rows.error());
        self->begin();
      });
}

void EngineRun::begin() {
  if (stopped_) return fail({Code::Cancelled, "stopped before it had begun", {}});
  host_.bus().call<TurnStart>(turn_,
                              [weak = weak_from_this()](const Result<Ref<TurnStarted>>& started) {
                                const auto self = weak.lock();
                                if (!self) return;
                                if (!started.ok()) return self->fail(started.error());
                                self->watch((*started)->sequence - 1);
                              });
}

void EngineRun::watch(std::uint64_t after) {
  SessionWatchRequest request;
  request.session = turn_.session;
  request.turn = turn_.turn;
  request.after_sequence = after;
  StreamHandlers<SessionEvents> handlers;
  handlers.on_chunk = [weak = weak_from_this()](const Ref<SessionEvents>& events) {
    const auto self = weak.lock();
    if (!self) return;
    for (const SessionEvent& event : events->events) self->take(event);
  };
  handlers.on_end = [weak = weak_from_this()](const Error& end) {
    const auto self = weak.lock();
    if (self) self->fail(end.code == Code::Ok ? internal_error("the turn has no end") : end);
  };
  auto opened = host_.bus().open_stream<SessionWatch>(std::move(request), std::move(handlers));
  if (!opened.ok()) return fail(opened.error());
  watch_ = std::move(*opened);
}

void EngineRun::take(const SessionEvent& event) {
  if (event.kind == EventKind::Error) {
    const Result<ErrorBody> body = from_json<ErrorBody>(event.body.text);
    if (body.ok()) error_ = body->message;
    return;
  }
  if (event.kind != EventKind::TurnFinished) return;
  const Result<TurnFinishedBody> body = from_json<TurnFinishedBody>(event.body.text);
  if (!body.ok()) return fail(body.error());
  RunOutcome outcome;
  outcome.status = status_of(body->end);
  outcome.text = body->final_text;
  if (outcome.status != ScheduledRunStatus::Succeeded) {
    outcome.error = error_.empty() ? body->reason : error_;
  }
  outcome.input_tokens = body->input_tokens;
  outcome.output_tokens = body->output_tokens;
  finish(outcome);
}

void EngineRun::fail(const Error& error) {
  RunOutcome outcome;
  if (error.code == Code::Cancelled || stopped_) outcome.status = ScheduledRunStatus::Stopped;
  outcome.error = error.message;
  finish(outcome);
}

void EngineRun::finish(const RunOutcome& outcome) {
  if (const Done done = std::exchange(done_, nullptr)) done(outcome);
}

void EngineRun::stop(const std::string& reason) {
  stopped_ = true;
  TurnStopRequest request;
  request.principal = turn_.session.principal;
  request.session = turn_.session;
  request.turn = turn_.turn;
  request.reason = reason;
  request.remember_ms = 60'000;
  CallOptions options;
  options.lane = GANTRY_LANE_CONTROL;
  host_.bus().call<TurnStop>(
      std::move(request), [](const Result<Ref<StoppedTurns>>&) {}, options);
}

}  // namespace gantry::scheduler
