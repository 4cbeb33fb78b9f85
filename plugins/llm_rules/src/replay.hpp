// SPDX-License-Identifier: Apache-2.0
#pragma once
// What has happened since the command: the results of the tools and the user's choices, in order.
// The plan is carried out from its beginning at every call of the model, and takes from here what
// is known already; where nothing is known it stops with the call or the question that is due.

#include <gantry/contracts/llm.hpp>

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace gantry::rules {

/// What a tool said. `json` is what could be read of it, "null" when it was only words.
struct Outcome {
  bool ok = false;
  std::string message;  // why not, in the tool's words
  std::string text;
  std::string json = "null";
};

class Replay {
 public:
  explicit Replay(const LlmChatRequest& request);

  /// The command, without what a client puts around it. Empty: there is none.
  [[nodiscard]] const std::string& command() const { return command_; }
  /// The first of these tools that is offered; nullptr when none is.
  [[nodiscard]] const LlmTool* offered(std::initializer_list<std::string_view> names) const;

  /// The result of the next call, or nullptr: then it is due. Whoever gets nullptr stops.
  const Outcome* call(const LlmTool& tool, const std::string& arguments);
  /// The user's answer to the next question (from 1), or 0: then it is due.
  std::size_t choose(std::size_t count);

  [[nodiscard]] const std::vector<LlmToolCall>& due() const { return due_; }

 private:
  const LlmChatRequest& request_;
  std::string command_;
  std::vector<Outcome> results_;
  std::vector<std::size_t> choices_;
  std::size_t next_result_ = 0;
  std::size_t next_choice_ = 0;
  std::vector<LlmToolCall> due_;
  std::size_t calls_before_ = 0;
};

}  // namespace gantry::rules
