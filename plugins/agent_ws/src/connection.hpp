// SPDX-License-Identifier: Apache-2.0
#pragma once
// One WebSocket of the agent protocol: handshake, then messages and turns until it closes. Strand
// only.

#include <gantry/contracts/artifact.hpp>
#include <gantry/contracts/http.hpp>
#include <gantry/contracts/identity.hpp>
#include <gantry/contracts/session.hpp>
#include <gantry/contracts/turn.hpp>
#include <gantry/host.hpp>
#include <gantry/stream.hpp>
#include <gantry/ws_outbox.hpp>

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "frame.hpp"
#include "manifest.hpp"
#include "message.hpp"
#include "server.hpp"
#include "spoken_answer.hpp"
#include "turn_view.hpp"

namespace gantry::agent_ws {

struct GivenPicture;  // results.cpp

class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(Server& server, std::uint64_t number, const WsOpening& opening,
             Stream<WsMessage> down);

  /// Accepts the WebSocket; the handlers of its stream.
  StreamHandlers<WsMessage> open();
  void shut_down();
  void revoke();

  [[nodiscard]] const std::string& principal() const { return principal_; }
  [[nodiscard]] const std::string& credential() const { return credential_; }
  void silence(const StoppedTurn& stopped);

 private:
  enum class State : std::uint8_t { Handshake, Welcome, Open, Closed };
  using Task = std::shared_ptr<void>;
  using TurnKey = std::pair<std::string, std::string>;  // conversation, turn

  /// A turn whose events go to this socket.
  struct WatchedTurn {
    std::unique_ptr<TurnView> view;
    Stream<Nothing> watch;
    std::deque<SessionEvent> waiting;  // while the view waits for the history
    std::uint32_t owed = 0;            // credit that is held back while the client reads slowly
    std::optional<Error> end;          // of the watch, while events still wait
    bool doubtful = false;             // whether there is such a turn; no event has shown it yet
    Task task;
    std::shared_ptr<SpokenAnswer> spoken;  // none: its answer is only written
  };
  using WatchedPtr = std::shared_ptr<WatchedTurn>;

  // connection.cpp: frames and the handshake
  void on_frame(const Ref<WsMessage>& frame);
  void on_end();
  void work();
  void take(const Ref<WsMessage>& frame);
  void on_handshake(std::string_view text);
  void verify(Handshake handshake);
  void on_verified(const IdentityVerified& verified, const Handshake& handshake);
  void look_up_tools();
  void welcome(const Result<Ref<AgentToolList>>& tools);
  void on_message_text(const Ref<WsMessage>& frame);
  void on_read(Read read);
  void close(std::uint16_t code, std::string_view reason);
  void refuse_handshake(std::string_view reason);
  void wait_for_frames();

  // handlers.cpp: messages
  void dispatch(Message message);
  void on_query(const std::string& id, const QueryPayload& query);
  void on_stop(const std::string& id, const StopQueryPayload& stop);
  void on_rehydrate(const std::string& id, const RehydratePayload& rehydrate);
  /// Runs `work` now, or when the rehydration of the conversation that came before it is done.
  void in_order(const std::string& conversation, std::function<void()> work);
  void rehydrated(const std::string& conversation);
  void on_compact(const std::string& id, const CompactHistoryPayload& compact);
  void on_load_settings(const std::string& id);
  void on_update_settings(const std::string& id, const UpdateSettingsPayload& update,
                          const boost::json::object& raw);
  void on_list_models(const std::string& id);
  void with_screenshot(const std::string& id, const QueryPayload& query);
  void ask_for_voice(const std::string& id, const QueryPayload& query);
  void start_turn(const std::string& id, const QueryPayload& query, const QueryMarks& voice);
  void rehydrate_rows(const std::string& id, SessionRehydrateRequest request, Task task);
  void compact_history(const std::string& id, const std::string& conversation, bool force);
  void compacted(const std::string& id, const std::string& conversation,
                 const CompactionReport& report);
  void settings_loaded(const std::string& id, const Result<Ref<TurnPreviewed>>& preview);

  // results.cpp: results of the client's tools
  void on_tool_result(const ToolResultPayload& result, const boost::json::object& raw);
  void on_bundle_result(const ToolBundleResultPayload& result, const boost::json::object& raw);
  void hand_over(TurnResultsRequest request, const GivenPicture& picture);

  // watching.cpp: turns
  WatchedPtr watch(const std::string& conversation, const std::string& turn, std::uint64_t after,
                   std::int64_t shown, Task task);
  void on_events(const TurnKey& key, const SessionEvents& events);
  void show(const TurnKey& key, WatchedTurn& turn, const SessionEvent& event);
  void drain(const TurnKey& key);
  void fetch_history(const TurnKey& key);
  void resume(const ResumePoint& point);
  void resume_turn(const ResumePoint& point, const SessionInfo& info);
  void resume_ended(const ResumePoint& point, const std::vector<HistoryRow>& rows);
  void return_credit(WatchedTurn& turn);
  void end_watch(const TurnKey& key);

  // speaking.cpp: speech
  void on_wakeword(const std::string& id);
  void with_voice(std::function<void(std::optional<Error>)> then);
  std::shared_ptr<SpokenAnswer> speak(const std::string& id, const std::string& conversation);
  void speech_failed(const std::string& id, const Error& failure);
  void hush(const std::optional<std::string>& conversation, const std::optional<std::string>& turn);
  void hush_said(const std::string& conversation);

  void send(std::string frame);
  void reply(std::string_view type, const std::string& id, std::string_view payload);
  /// `reason` is for the log, where it says more than the client is told.
  void error(const std::string& id, std::string_view text, AgentErrorCode code,
             std::string_view reason = {});
  void fail(const std::string& id, const Error& why, AgentErrorCode code);
  /// Counts as one of the connection's tasks as long as somebody holds it.
  [[nodiscard]] Task make_task();
  [[nodiscard]] SessionKey session(const std::string& conversation) const;
  [[nodiscard]] FrameContext context(const std::string& conversation = {},
                                     const std::string& turn = {}) const;
  [[nodiscard]] const AgentDefinition* definition_for(const QueryPayload& query) const;
  [[nodiscard]] std::int64_t now_ms() const;
  [[nodiscard]] Host& host() const { return server_.host(); }

  Server& server_;
  const std::uint64_t number_;
  std::string token_;  // what it showed; until it is verified
  const std::string peer_;
  Stream<WsMessage> down_;
  WsOutbox outbox_;
  State state_ = State::Handshake;
  bool parsing_ = false;  // a large message is on another thread; the next ones wait for it
  std::vector<Ref<WsMessage>> inbox_;
  std::int64_t last_frame_ns_ = 0;
  Timer silence_timer_;

  std::string principal_;
  std::string user_id_;  // as the wire names it
  std::string credential_;
  std::optional<AgentDefinition> definition_;
  ManifestReport manifest_;
  std::string last_conversation_;
  std::map<std::string, std::string> revisions_;  // conversation → the client's revision
  std::map<TurnKey, WatchedPtr> turns_;
  std::map<TurnKey, std::shared_ptr<SpokenAnswer>> speeches_;
  /// What waits for a rehydration, by conversation.
  std::map<std::string, std::deque<std::function<void()>>> rehydrating_;
  std::int64_t tasks_ = 0;
};

}  // namespace gantry::agent_ws
