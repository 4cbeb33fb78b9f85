// SPDX-License-Identifier: Apache-2.0
#pragma once
// Sessions that somebody follows: what happens in them, as events, to everybody who may see it.
// Strand only.

#include <gantry/contracts/approval.hpp>
#include <gantry/contracts/session.hpp>
#include <gantry/contracts/turn.hpp>
#include <gantry/stream.hpp>
#include <gantry/task.hpp>

#include <boost/json/object.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "outbox.hpp"
#include "run_view.hpp"

namespace gantry::gateway {

class Connection;
class Server;

/// One turn of the engine, as the protocol names it.
struct Run {
  enum class Stage : std::uint8_t {
    Preparing,  // the engine has not been asked
    Starting,   // it has been asked, and has not answered
    Started
  };
  Stage stage = Stage::Started;
  std::string id;
  std::string agent;
  std::string key;  // of the session, as the protocol names it
  std::string user;
  std::string chat;
  std::weak_ptr<Connection> origin;  // whose chat.send it was
  RunView view;
  std::optional<RunEnd> ended;
  std::function<void(RunEnd)> waiting;        // the chat.send
  std::vector<std::function<void()>> on_end;  // after it
};
using RunPtr = std::shared_ptr<Run>;

/// The event of the protocol that everybody gets, and the one for who sent the message.
Outgoing wrapped_event(const Run& run, const RunEvent& event);
Outgoing flat_event(const Run& run, const RunEvent& event);

class Feeds {
 public:
  explicit Feeds(Server& server) : server_(server) {}
  Feeds(const Feeds&) = delete;
  Feeds& operator=(const Feeds&) = delete;

  /// A turn of this name is about to be started.
  RunPtr expect(const SessionKey& session, Run run);
  /// It was not started after all.
  void forget(const SessionKey& session, const std::string& run);
  /// It was stopped before the engine had it: who waits for its end hears so.
  void end_unbegun(const SessionKey& session, const RunPtr& run);
  /// Those that the engine may not have yet, of all that this stop means.
  [[nodiscard]] std::vector<std::pair<SessionKey, RunPtr>> unbegun(
      const TurnStopRequest& stop) const;
  /// Follows the session: from the entry after `after`, or from now on. Nothing when it is followed
  /// already.
  void follow(const SessionKey& session, const std::string& key, const std::string& user,
              std::optional<std::uint64_t> after);
  /// The connection looks at the session: it is followed as long as the connection is there.
  void look(std::uint64_t connection, const SessionKey& session, const std::string& key,
            const std::string& user);
  void gone(std::uint64_t connection);

  [[nodiscard]] RunPtr find(const SessionKey& session, const std::string& run) const;
  /// All that have not ended.
  [[nodiscard]] std::vector<RunPtr> runs(const SessionKey& session) const;
  /// Sessions of this principal in which this agent runs.
  [[nodiscard]] std::vector<SessionKey> agent_sessions(const std::string& agent,
                                                       const std::string& principal) const;
  /// Waits until the run has ended and all have heard it; false: it took longer than `ms`.
  Task<bool> wait_end(RunPtr run, std::int64_t ms);
  [[nodiscard]] std::size_t agent_runs(const std::string& agent) const;
  void close();

 private:
  struct SessionOrder {
    bool operator()(const SessionKey& a, const SessionKey& b) const {
      return std::tie(a.principal, a.workspace, a.key) < std::tie(b.principal, b.workspace, b.key);
    }
  };
  struct Feed {
    SessionKey session;
    std::string key;
    std::string user;
    Stream<Nothing> watch;
    bool open = false;
    std::map<std::string, RunPtr> runs;
    std::set<std::uint64_t> lookers;
  };
  using FeedPtr = std::shared_ptr<Feed>;

  FeedPtr feed(const SessionKey& session, const std::string& key, const std::string& user);
  void on_events(const FeedPtr& feed, const SessionEvents& events);
  void on_event(const FeedPtr& feed, const SessionEvent& event);
  void on_approval(const FeedPtr& feed, const SessionEvent& event);
  void on_end(const FeedPtr& feed, const Error& end);
  void deliver(const Feed& feed, const RunPtr& run, const RunEvent& event);
  void end_here(const FeedPtr& feed, const RunPtr& run, TurnEnd how, std::string reason);
  void finish(const FeedPtr& feed, const RunPtr& run);
  void drop_idle(const FeedPtr& feed);

  Server& server_;
  std::map<SessionKey, FeedPtr, SessionOrder> feeds_;
};

/// An approval as `exec.approval.list` and `exec.approval.requested` show it.
boost::json::object approval_row(const Approval& approval, const std::string& key,
                                 const std::string& agent);

}  // namespace gantry::gateway
