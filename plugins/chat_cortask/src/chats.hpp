// SPDX-License-Identifier: Apache-2.0
#pragma once
// All sockets and all runs: what a client's message does, who gets which frames, and what becomes
// of a run when its client goes. Strand only.
//
// A run belongs to the socket that asked for it. When that socket goes the run is stopped, unless
// it waits for a questionnaire: then it waits on, and belongs to the socket that answers, or that
// chats with the same key.

#include <gantry/contracts/http.hpp>
#include <gantry/host.hpp>
#include <gantry/startup.hpp>

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "connection.hpp"
#include "records.hpp"
#include "run.hpp"
#include "settings.hpp"
#include "turn_input.hpp"
#include "workspaces.hpp"

namespace gantry::chat_cortask {

/// Whose sessions these are: nobody proves who he is on this protocol, so it is whoever sits at the
/// machine.
inline constexpr const char* kPrincipal = "local";

class Chats final : public ConnectionOwner {
 public:
  Chats(Host& host, const Settings& settings, const Workspaces& workspaces, Records& records,
        Startup& startup);

  /// One WebSocket; the handlers of its stream.
  StreamHandlers<WsMessage> accept(Stream<WsMessage> down);
  /// Ends every connection: the daemon stops.
  void close();
  /// To every socket.
  void broadcast(const std::string& frame);

  void on_message(const std::shared_ptr<Connection>& from, ClientMessage message) override;
  void on_room(const std::shared_ptr<Connection>& connection) override;
  void on_gone(const std::shared_ptr<Connection>& connection) override;

 private:
  using LineKey = std::pair<std::string, std::string>;  // session key, workspace
  using Line = std::deque<RunPtr>;                      // in the order of their messages

  void on_chat(const std::shared_ptr<Connection>& from, ChatMessage message);
  void chat(const std::shared_ptr<Connection>& from, ChatMessage message);
  void on_cancel(const CancelMessage& message);
  void on_permission(const PermissionAnswer& answer);
  void on_questionnaire(const std::shared_ptr<Connection>& from, const QuestionnaireReply& reply);
  void refuse(const std::shared_ptr<Connection>& to, const ChatMessage& message,
              std::string_view text);

  /// Starts the first run of the line that has not been started, unless one is being started: the
  /// engine gets them in the order of their messages.
  void start_next(const LineKey& key);
  void start(const RunPtr& run, Result<TurnInput> input);
  void started(const RunPtr& run, const Result<Ref<TurnStarted>>& answer);
  [[nodiscard]] TurnOptions options_for(const Run& run, const Workspace& workspace) const;
  void give_title(const RunPtr& run);
  /// Its last client has gone: stops it, or leaves it waiting for the next one.
  void abandon(const RunPtr& run);
  /// Somebody has come for a run that nobody was there for.
  void adopt(const RunPtr& run, const std::shared_ptr<Connection>& by);
  /// Stops the turn in the engine and forgets the run.
  void stop(const RunPtr& run, const char* reason);
  void deny(const std::string& approval);
  void forget(const RunPtr& run);
  [[nodiscard]] static LineKey key_of(const Run& run);
  [[nodiscard]] std::vector<RunPtr> all_runs() const;
  [[nodiscard]] std::vector<RunPtr> runs_of(const Connection& connection) const;
  [[nodiscard]] bool holds(const Run& run) const;

  Host& host_;
  const Settings& settings_;
  const Workspaces& workspaces_;
  Records& records_;
  Startup& startup_;
  std::map<std::uint64_t, std::shared_ptr<Connection>> connections_;
  std::map<LineKey, Line> lines_;
  std::uint64_t last_number_ = 0;
  std::uint64_t last_run_ = 0;
  Metric open_;
  Metric running_;
};

}  // namespace gantry::chat_cortask
