// SPDX-License-Identifier: Apache-2.0
#pragma once
// All calls of one answer of the model: checked, grounded, allowed or asked for, run, and each with
// its result in the log. Calls that run here wait until the log says that they were asked for;
// several run side by side. The client's calls wait for the client. Strand only.

#include <gantry/contracts/llm.hpp>
#include <gantry/contracts/turn.hpp>
#include <gantry/host.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core.hpp"
#include "grounding.hpp"
#include "images.hpp"
#include "tool_run.hpp"

namespace gantry::agent {

/// What the calls of a turn have in common.
struct ToolFrame {
  std::shared_ptr<Session> session;
  std::string turn;
  std::string caller;
  std::string workspace;  // folder of the session, as its client says; may be empty
  ToolPolicy policy;
  std::shared_ptr<const std::vector<AgentTool>> tools;  // all that were judged, offered or not
  std::vector<ClientTool> client_tools;
  std::vector<std::string> coordinate_methods;  // for grounded ones of them; empty: all
  std::shared_ptr<Images> images;
};

/// What a call would do, for whoever is asked to allow it.
[[nodiscard]] std::string wish_of(const ToolCallItem& call);

class ToolStep : public std::enable_shared_from_this<ToolStep> {
 public:
  /// `done` runs when every call has its result.
  ToolStep(Core& core, ToolFrame frame, std::function<void()> done)
      : core_(core), frame_(std::move(frame)), done_(std::move(done)) {}

  void begin(const std::vector<LlmToolCall>& calls);
  /// A client's result; false when nobody waits for that call here.
  bool take(const ClientToolResult& result);
  /// The client has no more results for this bundle: what lacks one failed.
  void close_bundle(const std::string& bundle);
  /// Ends what is open; `done` does not run.
  void cancel(const std::string& why);
  /// The tool that is being run, for people; empty: none.
  [[nodiscard]] std::string running_tool() const;
  [[nodiscard]] bool waits_for_user() const;
  [[nodiscard]] const std::string& bundle() const { return bundle_; }

 private:
  enum class State { Waiting, Asking, Running, Over };
  struct Call {
    ToolCallItem item;
    std::string plugin;
    State state = State::Waiting;
    bool consented = false;  // its user said yes to this very call
    std::int64_t began_ns = 0;
    std::shared_ptr<ToolRunning> run;
    Timer limit;
  };

  [[nodiscard]] Call prepare(const LlmToolCall& call) const;
  [[nodiscard]] std::string problem_of(const LlmToolCall& call, const AgentTool* tool) const;
  [[nodiscard]] bool is_grounded(const Call& call) const;
  void ground_from(std::size_t index);
  void take_place(std::size_t index, const Result<GroundedArguments>& found);
  void tell();
  void announce();
  void start_more();
  void start(std::size_t index);
  void ask_user(std::size_t index, std::string description, std::function<void(bool)> answer);
  void ask_leave(std::size_t index, const Ask& ask, std::function<void(AskAnswer)> answer);
  void run(std::size_t index);
  void run_questionnaire(std::size_t index);
  void ask_for_tool(std::size_t index, const Ask& ask, std::function<void(AskAnswer)> answer);
  void take_result(std::size_t index, Result<ToolResult> result);
  void keep_pictures(std::size_t index, ToolResultBody body, std::vector<ContentBlock> pictures);
  void limit(std::size_t index, std::int64_t ms);
  void finish(std::size_t index, ToolResultBody body);
  [[nodiscard]] ToolResultBody failed(std::size_t index, ToolEnd end, std::string text) const;
  [[nodiscard]] std::size_t running() const;

  Core& core_;
  ToolFrame frame_;
  std::function<void()> done_;
  std::vector<Call> calls_;
  std::string bundle_;
  bool announced_ = false;
  const ErrandPtr errand_ = std::make_shared<Errand>();  // of grounding
};

}  // namespace gantry::agent
