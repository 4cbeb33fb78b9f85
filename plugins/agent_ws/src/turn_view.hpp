// SPDX-License-Identifier: Apache-2.0
#pragma once
// One turn as this protocol shows it: events of the session's log in, frames out. The same log
// always gives the same frames, so a client that comes back can be sent what it missed. Pure.

#include <gantry/contracts/session.hpp>
#include <gantry/contracts/turn.hpp>
#include <gantry/result.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "frame.hpp"
#include "outgoing.hpp"
#include "query_marks.hpp"
#include "trace.hpp"
#include "transparency.hpp"

namespace gantry::agent_ws {

struct TurnViewOptions {
  bool echo_tool_output = false;    // results of the client's own tools as tool-output
  std::int64_t after_sequence = 0;  // frames up to this number are not sent again
};

class TurnView {
 public:
  using Send = std::function<void(std::string frame)>;
  /// Hears of an error of the turn, for the log and the metrics.
  using OnError = std::function<void(const ErrorBody&)>;
  /// Hears which calls a bundle has, in its order: a result names only the bundle.
  using OnBundle = std::function<void(const std::string& bundle, std::vector<std::string> calls)>;
  struct Sinks {
    Send send;
    OnError on_error;
    OnBundle on_bundle;
  };

  TurnView(FrameContext context, TurnViewOptions options, Sinks sinks);

  /// Takes the next event. While needs_history() no other may come.
  void take(const SessionEvent& event);
  /// Whether the rows of the session's history are needed to go on.
  [[nodiscard]] bool needs_history() const { return needs_history_; }
  void give_history(const SessionHistoryRows& history);
  /// The history cannot be read: goes on without it.
  void skip_history() { needs_history_ = false; }

  /// Nothing more will be sent: the turn was stopped, or it is over.
  void silence() { silent_ = true; }
  [[nodiscard]] bool over() const { return over_; }
  [[nodiscard]] std::int64_t last_sequence() const { return frames_.last_sequence(); }
  [[nodiscard]] const FrameContext& context() const { return frames_.context(); }

 private:
  template <class Write>
  void emit_written(std::string_view type, std::int64_t at_ms, Write write);
  template <class T>
  void emit(std::string_view type, const T& payload, std::int64_t at_ms);
  void emit(const NamedPayload& named, std::int64_t at_ms);
  void trace(std::string_view path, std::string_view status, std::int64_t at_ms);
  /// With this turn's id and that time.
  void trace(Trace trace, std::int64_t at_ms);

  void on_accepted(const SessionEvent& event);
  void on_started(const SessionEvent& event);
  void on_prompt(const SessionEvent& event);
  void on_model_call(const SessionEvent& event);
  void on_model_done(const SessionEvent& event);
  void on_usage(const SessionEvent& event);
  void on_assistant(const SessionEvent& event);
  void on_tool_calls(const SessionEvent& event);
  void on_tool_result(const SessionEvent& event);
  void on_tool_progress(const SessionEvent& event);
  void on_search(const SessionEvent& event);
  void on_approval(const SessionEvent& event);
  void on_compaction(const SessionEvent& event);
  void on_error_event(const SessionEvent& event);
  void on_finished(const SessionEvent& event);
  void finish_text(const TurnFinishedBody& body, std::int64_t at_ms);
  void close_model_call();

  TurnFrames frames_;
  TurnViewOptions options_;
  Sinks sinks_;
  QueryMarks marks_;
  HistoryRow user_;                        // the query
  std::optional<SessionEvent> open_call_;  // ModelCallFinished whose trace is still to be sent
  std::vector<PictureRef> pictures_;       // of the current answer
  std::vector<PictureRef> turn_pictures_;  // of the whole turn
  std::optional<SessionEvent> history_event_;
  std::string shown_;  // the latest assistant-message-full
  bool prompt_shown_ = false;
  bool text_sent_ = false;  // of the current answer
  bool failed_ = false;
  bool needs_history_ = false;
  bool silent_ = false;
  bool over_ = false;
};

/// tts.playback/session, as JSON text: that speech has begun, or why there is none.
[[nodiscard]] std::string speech_trace(std::string_view message, std::int64_t at_ms,
                                       const std::optional<Error>& failure);

/// Frames of a compaction; also those of compact-history.
[[nodiscard]] NamedPayload compaction_started(const CompactionReport& report);
[[nodiscard]] NamedPayload compaction_completed(const CompactionReport& report,
                                                const std::string& conversation_ref);
[[nodiscard]] NamedPayload compaction_failed(const CompactionReport& report, bool with_tokens);

}  // namespace gantry::agent_ws
