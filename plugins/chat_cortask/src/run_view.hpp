// SPDX-License-Identifier: Apache-2.0
#pragma once
// One run as its client sees it: the events of its turn in, frames out. Strand only.

#include <gantry/contracts/approval.hpp>
#include <gantry/contracts/session.hpp>
#include <gantry/contracts/turn.hpp>

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "outgoing.hpp"
#include "thinking_splitter.hpp"

namespace gantry::chat_cortask {

class RunView {
 public:
  using Send = std::function<void(std::string frame)>;

  /// `with_arguments`: tool_call_delta and tool_call_end are sent as well.
  RunView(std::string session_key, bool with_arguments, Send send);

  void take(const SessionEvent& event);
  /// The run is over for its client: `done` with `cancelled`, and nothing after it.
  void cancel();
  /// The run failed outside of its turn. Nothing is sent after it.
  void fail(std::string_view text);
  /// Once more what still waits for an answer of the user's.
  void repeat_questions();

  [[nodiscard]] bool over() const { return over_; }
  [[nodiscard]] bool asks(const std::string& questionnaire) const {
    return questionnaires_.contains(questionnaire);
  }
  [[nodiscard]] bool has_questionnaire() const { return !questionnaires_.empty(); }
  /// Tokens of its model calls so far, or in the end.
  [[nodiscard]] const TokenUsage& usage() const { return usage_; }
  /// Ids of the approvals that are open.
  [[nodiscard]] const std::set<std::string>& approvals() const { return approvals_; }

 private:
  struct Called {
    Json arguments;
    ToolClass kind = ToolClass::Read;
  };

  template <class Frame>
  void emit(Frame frame);
  void on_text(std::string_view text);
  void flush();
  void on_tool_calls(const ToolCallsBody& body);
  void on_tool_result(const ToolResultBody& body);
  void on_approval(const Approval& approval);
  void on_usage(const UsageBody& usage);
  void on_finished(const TurnFinishedBody& body);
  void finish(TokenUsage usage, bool cancelled);

  const std::string session_key_;
  const bool with_arguments_;
  Send send_;
  ThinkingSplitter splitter_;
  ThinkingSplitter::Sink split_;
  std::map<std::string, Called> calls_;                         // by ToolCallItem::request
  std::set<std::string> approvals_;                             // open
  std::map<std::string, QuestionnaireRequest> questionnaires_;  // open
  TokenUsage usage_;                                            // of the model calls so far
  std::string notice_;                                          // the last of the turn
  bool spoke_ = false;
  bool over_ = false;
};

/// What a client reads of a failed model call or of one that could not be made.
[[nodiscard]] std::string error_text(const ErrorBody& error);

}  // namespace gantry::chat_cortask
