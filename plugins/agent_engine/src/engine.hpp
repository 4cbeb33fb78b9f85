// SPDX-License-Identifier: Apache-2.0
#pragma once
// The engine's contracts. Strand only.

#include <gantry/contracts/approval.hpp>
#include <gantry/contracts/session.hpp>
#include <gantry/contracts/turn.hpp>
#include <gantry/host.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core.hpp"
#include "turn.hpp"

namespace gantry::agent {

class Engine {
 public:
  template <class T>
  using Done = std::function<void(Result<T>)>;

  explicit Engine(Host& host) : core_(host) {}
  [[nodiscard]] Core& core() { return core_; }
  /// Finishes what an earlier daemon left open; calls wait until that is done.
  void begin();
  /// The settings have changed.
  void reconfigured() { core_.places.fill(places()); }
  /// Ends all work. What is open then is closed at the daemon's next start.
  void end();

  void open(const SessionOpenRequest& request, Done<SessionInfo> done);
  void list(const SessionListRequest& request, Done<SessionInfoList> done);
  void patch(const SessionPatchRequest& request, Done<SessionInfo> done);
  void history(const SessionHistoryRequest& request, Done<SessionHistoryRows> done);
  void rehydrate(const SessionRehydrateRequest& request, Done<SessionHistoryRows> done);
  void append(const SessionAppendRequest& request, Done<SessionInfo> done);
  void compact(const SessionCompactRequest& request, Done<CompactionReport> done);
  void remove(const SessionDeleteRequest& request, Done<gantry::Done> done);
  void poll(const SessionPollRequest& request, Done<SessionEvents> done);
  StreamHandlers<Nothing> watch(const SessionWatchRequest& request, Stream<SessionEvents> down);

  void start(const TurnStartRequest& request, Done<TurnStarted> done);
  void preview(const TurnPreviewRequest& request, Done<TurnPreviewed> done);
  StoppedTurns stop(const TurnStopRequest& request);
  TurnResultsTaken results(const TurnResultsRequest& request);
  Result<gantry::Done> inject(const TurnInjectRequest& request);
  void tools(const AgentToolsRequest& request, Done<AgentToolList> done);

 private:
  using Pointer = std::shared_ptr<Session>;

  /// `use` runs with a session that exists; everything else is an answer already.
  template <class T>
  void with(const SessionKey& key, Done<T> done, std::function<void(const Pointer&)> use);
  /// Stores the session and answers.
  template <class T>
  void save(const Pointer& session, Done<T> done, std::function<T()> answer);

  struct Start;
  [[nodiscard]] Result<void> admit(const TurnStartRequest& request);
  [[nodiscard]] Result<void> room_for(const TurnStartRequest& request) const;
  [[nodiscard]] std::int64_t claims(const std::string* user) const;
  [[nodiscard]] Places::Limits places() const;
  /// Whether a stop came before this turn; it stops one turn only.
  [[nodiscard]] bool stopped_early(const TurnStartRequest& request);
  void remember_stop(const TurnStopRequest& request);
  void forget_old_stops();
  void start_next();
  void session_found();
  void look_up(const std::shared_ptr<Start>& start);
  void accept(const std::shared_ptr<Start>& start);
  void over(const Pointer& session, const std::shared_ptr<Turn>& turn);
  void next(const Pointer& session);
  void begin(const Pointer& session, const std::shared_ptr<Turn>& turn);
  void count(const TurnStartRequest& request, int change);
  [[nodiscard]] std::vector<std::shared_ptr<Turn>> turns_of(const std::string& principal) const;

  /// A stop that came before what it was to stop.
  struct EarlyStop {
    TurnStopRequest request;
    std::int64_t until_ns = 0;
  };

  Core core_;
  /// Turns that have been let in and are not over.
  std::map<std::string, std::int64_t> turns_of_;  // by who they are counted for
  std::int64_t turns_ = 0;
  std::int64_t bytes_ = 0;  // of their messages
  std::uint64_t last_ticket_ = 0;
  std::vector<std::shared_ptr<Start>> starting_;    // asked for and not in a session's line yet
  std::deque<std::shared_ptr<Start>> held_starts_;  // of these, they wait until others are
  std::size_t looked_up_ = 0;                       // of these, their sessions are being read
  std::vector<EarlyStop> early_stops_;
  std::vector<std::shared_ptr<Compaction>> compactions_;
  Timer sweep_;
  Timer retry_;
};

}  // namespace gantry::agent
