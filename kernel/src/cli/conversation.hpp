// SPDX-License-Identifier: Apache-2.0
// One conversation with the agent in a terminal: turns as the principal `local`, what happens on
// the screen as it happens, approvals and questions to whoever sits there.
#pragma once

#include <gantry/contracts/approval.hpp>
#include <gantry/contracts/session.hpp>
#include <gantry/contracts/turn.hpp>

#include <memory>
#include <optional>
#include <string>

#include "cli/access.hpp"

namespace gantry::cli {

class Conversation {
 public:
  /// `access` and `invocation` must outlive it.
  Conversation(Access& access, const Invocation& invocation, std::string key);

  /// One turn, until it ends. The exit code: kOk when there was a final answer, kInterrupted when
  /// Ctrl-C ended it.
  int say(const std::string& text);
  /// The final answer of the last turn.
  [[nodiscard]] const std::string& final_answer() const { return answer_; }

 private:
  [[nodiscard]] TurnStartRequest request(const std::string& text) const;
  int follow(const TurnStarted& turn);
  void stop(const std::string& turn);
  void show(const SessionEvent& event);
  /// Where nobody could be asked, and the answer names a tool that was not offered for that: says
  /// how it would be.
  void hint(const std::string& answer);
  void show_calls(const ToolCallsBody& body);
  void show_result(const ToolResultBody& body);
  void answer(const Approval& approval);
  /// What whoever sits there says, asked twice at the most; Open after Ctrl-C.
  Decision decision_on(const Approval& approval);
  void answer(const Questionnaire& questionnaire);
  /// A line of its own on standard error, after what was said so far.
  void note(const std::string& text);

  Access& access_;
  const Invocation& invocation_;
  SessionKey session_;
  bool interactive_;  // somebody can answer
  std::string answer_;
  std::string stop_reason_;  // of the turn's last model call
  bool in_line_ = false;     // the answer's last line is not complete
};

/// From now on Ctrl-C is noted instead of ending the program at once.
void catch_interrupts();
[[nodiscard]] bool was_interrupted();
[[nodiscard]] bool was_interrupted_twice();
void forget_interrupt();
/// A line of the terminal that standard input is. Nullopt at its end and after Ctrl-C.
[[nodiscard]] std::optional<std::string> read_line(const std::string& prompt);

}  // namespace gantry::cli
