// SPDX-License-Identifier: Apache-2.0
//
// Stands in for the agent engine: keeps what it is asked, and ends turns when the test says so.
#pragma once

#include <gantry/contract.hpp>
#include <gantry/contracts/turn.hpp>
#include <gantry/host.hpp>

#include <map>
#include <string>
#include <vector>

namespace gantry::scheduler {

class FakeEngine {
 public:
  explicit FakeEngine(Host& host) { ready_ = serve(host); }

  [[nodiscard]] bool ready() const { return ready_.ok(); }
  [[nodiscard]] const std::vector<TurnStartRequest>& turns() const { return turns_; }
  [[nodiscard]] const std::vector<std::string>& emptied() const { return emptied_; }
  [[nodiscard]] const std::vector<std::string>& titles() const { return titles_; }
  [[nodiscard]] const std::vector<TurnStopRequest>& stops() const { return stops_; }
  [[nodiscard]] const std::vector<SessionAppendRequest>& appended() const { return appended_; }
  void refuse_turns(Error error) { refusal_ = std::move(error); }

  /// Ends a turn; as the engine it tells its watcher and closes.
  void end(const std::string& turn, TurnEnd how, const std::string& text = {},
           const std::string& error = {}) {
    const auto found = watchers_.find(turn);
    if (found == watchers_.end()) return;
    Stream<SessionEvents> watcher = std::move(found->second);
    watchers_.erase(found);
    SessionEvents events;
    if (!error.empty()) {
      ErrorBody body;
      body.message = error;
      events.events.push_back(event(turn, EventKind::Error, to_json(body)));
    }
    TurnFinishedBody body;
    body.end = how;
    body.final_text = text;
    body.input_tokens = 7;
    body.output_tokens = 3;
    events.events.push_back(event(turn, EventKind::TurnFinished, to_json(body)));
    (void)watcher.send(std::move(events));
    watcher.close();
  }
  void end_last(TurnEnd how = TurnEnd::Completed, const std::string& text = "done",
                const std::string& error = {}) {
    end(turns_.back().turn, how, text, error);
  }

 private:
  static SessionEvent event(const std::string& turn, EventKind kind, std::string body) {
    SessionEvent out;
    out.turn = turn;
    out.kind = kind;
    out.body = Json(std::move(body));
    return out;
  }

  Result<void> serve(Host& host) {
    Bus& bus = host.bus();
    GANTRY_TRY(bus.serve<SessionOpen>([this](const SessionOpenRequest& request) {
      titles_.push_back(request.title);
      SessionInfo info;
      info.session = request.session;
      info.messages = messages_[request.session.key];
      return Result<SessionInfo>(info);
    }));
    GANTRY_TRY(bus.serve<SessionRehydrate>([this](const SessionRehydrateRequest& request) {
      emptied_.push_back(request.session.key);
      messages_[request.session.key] = static_cast<std::int64_t>(request.rows.size());
      return Result<SessionHistoryRows>(SessionHistoryRows{});
    }));
    GANTRY_TRY(bus.serve<SessionAppend>([this](const SessionAppendRequest& request) {
      appended_.push_back(request);
      return Result<SessionInfo>(SessionInfo{});
    }));
    GANTRY_TRY(bus.serve<TurnStart>([this](const TurnStartRequest& request) -> Result<TurnStarted> {
      if (refusal_.code != Code::Ok) return refusal_;
      turns_.push_back(request);
      messages_[request.session.key] += 2;
      return TurnStarted{request.turn, 1, 0};
    }));
    GANTRY_TRY(bus.serve<TurnStop>([this](const TurnStopRequest& request) {
      stops_.push_back(request);
      end(request.turn, TurnEnd::Cancelled);
      return Result<StoppedTurns>(StoppedTurns{});
    }));
    return bus.serve_stream<SessionWatch>(
        [this](const Ref<SessionWatchRequest>& request, const CallInfo&,
               Stream<SessionEvents> down) -> Result<StreamHandlers<Nothing>> {
          watchers_[request->turn] = std::move(down);
          return StreamHandlers<Nothing>{};
        });
  }

  Result<void> ready_;
  std::vector<TurnStartRequest> turns_;
  std::vector<std::string> emptied_;
  std::vector<std::string> titles_;
  std::vector<TurnStopRequest> stops_;
  std::vector<SessionAppendRequest> appended_;
  std::map<std::string, std::int64_t> messages_;  // by session key
  std::map<std::string, Stream<SessionEvents>> watchers_;
  Error refusal_{Code::Ok, {}, {}};
};

}  // namespace gantry::scheduler
