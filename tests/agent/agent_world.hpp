// SPDX-License-Identifier: Apache-2.0
#pragma once
// The engine on a fake host, with the real store and the scripted model: what a user says is the
// script that the model plays.

#include <gantry/contracts/approval.hpp>
#include <gantry/contracts/kernel.hpp>
#include <gantry/contracts/tool.hpp>
#include <gantry/testkit/fake_host.hpp>
#include <gantry/testkit/probe.hpp>
#include <gantry/testkit/temp_dir.hpp>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace gantry::testing {

/// A plugin that has tools; each is a function of its arguments.
struct ToolServer {
  using Run = std::function<ToolResult(const std::string& arguments)>;
  struct Tool {
    ToolDescription description;
    Run run;                 // empty: it never answers
    std::optional<Ask> ask;  // put first; then the result is the answer to it
  };
  std::vector<Tool> tools;
  std::vector<std::string> ran;
  std::vector<ToolCallRequest> requests;
  int cancelled = 0;
};

class AgentWorld {
 public:
  explicit AgentWorld(const std::string& engine_config = "{}",
                      const std::string& model_config = "{}");
  ~AgentWorld();

  testkit::FakeHost& kit() { return kit_; }
  ToolServer& tools() { return tools_; }
  /// Adds a tool of the daemon; before the first turn.
  void add_tool(const std::string& name, bool read_only, ToolServer::Run run);
  /// Ends the engine as the daemon's end does, and starts it again.
  void restart();
  void load_store();
  void unload_store() { kit_.unload("store"); }
  void load_engine();
  void unload_engine() { kit_.unload("agent_engine"); }

  template <class C>
  Result<typename C::Response> call(typename C::Request request) {
    auto answer = kit_.host().bus().template call_wait<C>(std::move(request));
    if (!answer.ok()) return answer.error();
    return **answer;
  }
  /// Starts a turn of the session `key` of `principal`; nobody watches it, for as long as it takes.
  Result<TurnStarted> start(const std::string& text, const std::string& turn = {},
                            const std::string& key = "s", const std::string& principal = "ann");
  [[nodiscard]] TurnStartRequest request(const std::string& text, const std::string& turn = {},
                                         const std::string& key = "s",
                                         const std::string& principal = "ann") const;
  /// The whole log so far.
  std::vector<SessionEvent> log(const std::string& key = "s", const std::string& principal = "ann");
  /// "TurnAccepted TurnStarted …" without deltas.
  std::string kinds(const std::string& key = "s");
  /// The bodies of all events of a kind.
  template <class T>
  std::vector<T> bodies(EventKind kind, const std::string& key = "s") {
    std::vector<T> out;
    for (const SessionEvent& event : log(key)) {
      if (event.kind != kind) continue;
      auto body = from_json<T>(event.body.text);
      if (body.ok()) out.push_back(std::move(*body));
    }
    return out;
  }
  /// The end of the last turn that has one.
  TurnFinishedBody finished(const std::string& key = "s");
  std::vector<HistoryRow> history(const std::string& key = "s",
                                  const std::string& principal = "ann");

  ToolPolicy policy;  // of the turns that start() makes
  std::vector<ClientTool> client_tools;
  bool waits = true;  // the same

 private:
  void serve();

  testkit::TempDir folder_;
  std::string engine_config_;
  testkit::FakeHost kit_;
  ToolServer tools_;
};

}  // namespace gantry::testing
