// SPDX-License-Identifier: Apache-2.0
#pragma once
// Turns that a daemon left half done when it ended. What its log shows is finished here: open
// calls are closed with the reason, so that the history stays one that providers accept, and the
// turn ends as Restarted.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sessions.hpp"

namespace gantry::agent {

/// Notes what one event opens or closes.
void collect(Leftover& leftover, const SessionEvent& event);

/// The document of a turn that is running or waiting; it goes with the turn's end.
struct RunningTurn {
  SessionKey session;
  std::string turn;
  std::string text;  // what the user said
  std::int64_t accepted_ms = 0;
};
BOOST_DESCRIBE_STRUCT(RunningTurn, (), (session, turn, text, accepted_ms))

[[nodiscard]] StoreChange running_turn_change(const std::string& session, const std::string& turn,
                                              std::optional<RunningTurn> document);

/// Finishes them all, then runs `done`.
class Recovery : public std::enable_shared_from_this<Recovery> {
 public:
  Recovery(Host& host, StoreClient& store, Sessions& sessions,
           std::function<void(Result<void>)> done)
      : host_(host), store_(store), sessions_(sessions), done_(std::move(done)) {}
  void begin();

 private:
  void next();
  void finish(const Sessions::Pointer& session, const Leftover& leftover,
              const std::vector<RunningTurn>& turns);
  void fail(const Error& error);

  Host& host_;
  StoreClient& store_;
  Sessions& sessions_;
  std::function<void(Result<void>)> done_;
  std::vector<RunningTurn> turns_;  // of one session together
  std::string after_;
  bool more_ = true;
};

}  // namespace gantry::agent
