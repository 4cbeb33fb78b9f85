// SPDX-License-Identifier: Apache-2.0
#pragma once
// One turn: waits in its session's line, then model call, tools, model call, … until there is a
// final answer, somebody stops it, or a budget is used up. Strand only.

#include <gantry/contracts/turn.hpp>
#include <gantry/host.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compaction.hpp"
#include "core.hpp"
#include "images.hpp"
#include "model_call.hpp"
#include "prompt.hpp"
#include "tool_step.hpp"

namespace gantry::agent {

/// What is said to who speaks to a turn that there is not.
[[nodiscard]] Error no_turn_running();

class Turn : public std::enable_shared_from_this<Turn> {
 public:
  /// `attachments` are the request's, looked up.
  Turn(Core& core, std::shared_ptr<Session> session, TurnStartRequest request,
       std::vector<ImageRef> attachments);
  /// `over` runs once, when the turn's end is on the disk.
  void on_over(std::function<void()> over) { over_ = std::move(over); }

  [[nodiscard]] const std::string& id() const { return request_.turn; }
  [[nodiscard]] const std::string& principal() const { return request_.session.principal; }
  [[nodiscard]] const TurnStartRequest& request() const { return request_; }
  /// It is safely in the log, and whoever started it knows.
  void accepted() { watchers_changed(); }
  /// Its name in the line for places; 0: it has not asked for one.
  std::uint64_t ticket = 0;
  [[nodiscard]] bool is_over() const { return phase_ == Phase::Over; }
  /// It is this turn's turn.
  void begin();
  /// Ends it from outside; also one that still waits.
  void stop(TurnEnd end, const std::string& reason);
  /// Ends its work without a word: the daemon ends, and its next start closes what is open.
  void drop();
  [[nodiscard]] bool take(const ClientToolResult& result);
  void close_bundle(const std::string& bundle);
  /// Errors: failed_precondition (it is over), resource_exhausted.
  Result<void> inject(std::string text);
  /// Somebody began or stopped to watch.
  void watchers_changed();
  /// Fills in what SessionInfo says of the running turn.
  void describe(SessionInfo& info) const;

 private:
  enum class Phase { Queued, Preparing, Model, Tools, Compaction, Over };

  void prepare();
  void take_model(Result<ChosenModel> chosen);
  void take_tools(const ToolSet& tools);
  void say();
  void say_injected();
  void next();
  [[nodiscard]] bool spent();
  void compact(const std::string& reason, std::function<void()> then);
  [[nodiscard]] std::int64_t context_window() const;  // tokens
  void ask();
  void send(LlmChatRequest request);
  void take_chunk(const LlmChunk& chunk);
  void take_finish(const LlmFinish& finish);
  void take_failure(const ModelFailure& failure);
  void log_usage(const LlmUsage& usage, const HistoryRow& row);
  void run_tools(const std::vector<LlmToolCall>& calls);
  void complete(HistoryRow final);
  void fail(const ErrorBody& error);
  void finish(TurnEnd end, const std::string& reason);
  void close_log();
  void tell_usage();
  void log(SessionEvent event) { session_->log(std::move(event), request_.turn); }

  Core& core_;
  std::shared_ptr<Session> session_;
  TurnStartRequest request_;
  std::vector<ImageRef> attachments_;
  std::function<void()> over_;
  std::shared_ptr<Images> images_;
  Phase phase_ = Phase::Queued;
  Frame frame_;
  std::shared_ptr<const std::vector<AgentTool>> judged_;
  std::shared_ptr<Compaction> compaction_;
  std::unique_ptr<ModelCall> call_;
  std::shared_ptr<ToolStep> step_;
  std::vector<std::string> injected_;
  TurnFinishedBody totals_;
  std::string partial_;    // text of the model call under way
  std::string last_tool_;  // output of the last tool, for an answer without words
  std::int32_t attempt_ = 1;
  bool closed_ = false;  // its end is in the log, or will not be
  bool overflowed_ = false;
  std::int64_t began_ns_ = 0;
  std::int64_t asked_ns_ = 0;
  Timer limit_;
  Timer linger_;
};

}  // namespace gantry::agent
