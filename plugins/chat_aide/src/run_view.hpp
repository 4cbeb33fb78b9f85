// SPDX-License-Identifier: Apache-2.0
//
// One run as its client sees it: the events of its turn in, frames out. Strand only.
#pragma once

#include <gantry/contracts/approval.hpp>
#include <gantry/contracts/session.hpp>
#include <gantry/contracts/turn.hpp>

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "frames.hpp"

namespace gantry::chat_aide {

class RunView {
 public:
  struct Sinks {
    std::function<void(std::string frame)> send;
    /// A picture that the model made; the caller shows it.
    std::function<void(const ImageRef&)> image;
  };

  RunView(std::string session_id, Sinks sinks)
      : session_id_(std::move(session_id)), sinks_(std::move(sinks)) {}

  void take(const SessionEvent& event);
  /// The run ended outside of its turn.
  void fail(std::string message);

  /// Its terminal frame was sent.
  [[nodiscard]] bool over() const { return over_; }
  /// The approval that a call waits for; empty: none, or it was answered.
  [[nodiscard]] std::string approval_of(const std::string& call_id) const;
  /// The frames of questions that are open, for who comes later.
  [[nodiscard]] std::vector<std::string> open_questions() const;
  /// All approvals that are open.
  [[nodiscard]] std::vector<std::string> open_approvals() const;

 private:
  struct Waiting {
    std::string approval;
    std::string frame;
    bool open = true;
    bool given = false;
  };

  void on_calls(const ToolCallsBody& body);
  void on_result(const ToolResultBody& body);
  void on_asked(const Approval& approval);
  void on_answered(const Approval& approval);
  void on_finished(const TurnFinishedBody& body);

  const std::string session_id_;
  Sinks sinks_;
  std::set<std::string> started_;           // calls that were announced
  std::map<std::string, Waiting> waiting_;  // by call_id
  bool pictured_ = false;                   // the model has made a picture
  bool over_ = false;
};

/// "Provider error: 429 Too Many Requests", or the engine's words.
[[nodiscard]] std::string run_error_text(const ErrorBody& error);

}  // namespace gantry::chat_aide
