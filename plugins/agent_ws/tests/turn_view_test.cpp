// SPDX-License-Identifier: Apache-2.0
// A log in, frames out: the order of a turn, its numbers, and what a client that comes back gets.
#include "turn_view.hpp"

#include <gantry/contract.hpp>

#include <catch2/catch.hpp>

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

namespace gantry::agent_ws {
namespace {

namespace json = boost::json;

/// Plays a log into a view.
class Player {
 public:
  explicit Player(TurnViewOptions options = {})
      : view_({"user", "conv", "turn-1"}, options,
              {[this](std::string frame) { frames_.push_back(json::parse(frame)); },
               [this](const ErrorBody&) { ++errors_; },
               [this](const std::string&, std::vector<std::string> calls) {
                 bundle_ = std::move(calls);
               }}) {}

  template <class Body>
  Player& add(EventKind kind, const Body& body, std::string text = {}) {
    SessionEvent event;
    event.sequence = ++sequence_;
    event.turn = "turn-1";
    event.at_ms = 1'772'553'600'000 + static_cast<std::int64_t>(sequence_);
    event.kind = kind;
    event.text = std::move(text);
    event.body = Json(to_json(body));
    view_.take(event);
    return *this;
  }
  Player& text(EventKind kind, std::string said) { return add(kind, Nothing{}, std::move(said)); }
  Player& accepted(const QueryMarks& marks = {}) {
    add(EventKind::TurnAccepted, TurnAcceptedBody{marks.caller(), "agent", 0});
    return add(EventKind::TurnStarted, Nothing{});
  }
  Player& prompt() {
    HistoryRow row;
    row.text = "<user_query>hi</user_query>";
    add(EventKind::UserMessage, row);
    PromptBuiltBody built;
    built.system_prompt = "You are";
    built.tools = Json(R"([{"name":"f","description":"d","parameters":{"type":"object"}}])");
    return add(EventKind::PromptBuilt, built);
  }
  Player& model_call(int iteration) {
    ModelCallBody body;
    body.iteration = iteration;
    return add(EventKind::ModelCallStarted, body);
  }
  Player& model_done() {
    ModelCallBody body;
    body.stop_reason = "stop";
    add(EventKind::ModelCallFinished, body);
    UsageBody usage;
    usage.usage_source = "estimated";
    return add(EventKind::Usage, usage);
  }
  Player& assistant(std::string said) {
    HistoryRow row;
    row.role = RowRole::Assistant;
    row.text = std::move(said);
    return add(EventKind::AssistantMessage, row);
  }
  Player& finished(TurnEnd end, std::string said = {}, bool made_here = false) {
    TurnFinishedBody body;
    body.end = end;
    body.final_text = std::move(said);
    body.final_was_empty = made_here;
    return add(EventKind::TurnFinished, body);
  }

  /// Types, with the path of traces: "trace-event backend.stream started".
  [[nodiscard]] std::vector<std::string> types() const {
    std::vector<std::string> out;
    for (const json::value& frame : frames_) {
      std::string type(frame.at("type").as_string());
      if (type == "trace-event") {
        const json::value& payload = frame.at("payload");
        type = std::string(payload.at("path").as_string()) + ' ' +
               std::string(payload.at("status").as_string());
      }
      out.push_back(std::move(type));
    }
    return out;
  }
  [[nodiscard]] const json::value& payload(std::size_t index) const {
    return frames_.at(index).at("payload");
  }
  [[nodiscard]] const std::vector<json::value>& frames() const { return frames_; }
  [[nodiscard]] TurnView& view() { return view_; }
  [[nodiscard]] int errors() const { return errors_; }
  [[nodiscard]] const std::vector<std::string>& bundle() const { return bundle_; }

 private:
  std::vector<json::value> frames_;
  std::vector<std::string> bundle_;
  int errors_ = 0;
  std::uint64_t sequence_ = 0;
  TurnView view_;
};

ToolCallItem call(const char* id, ToolPlace place, const char* problem = "") {
  ToolCallItem item;
  item.id = id;
  item.request = std::string("req-") + id;
  item.name = "f";
  item.tool = "f";
  item.arguments = Json(R"({"x":1})");
  item.place = place;
  item.problem = problem;
  return item;
}

Player& simple_turn(Player& player) {
  player.accepted().prompt().model_call(1);
  player.text(EventKind::ThinkingDelta, "hm").text(EventKind::TextDelta, "Hel");
  player.text(EventKind::TextDelta, "lo").model_done().assistant("Hello");
  return player.finished(TurnEnd::Completed, "Hello");
}

TEST_CASE("a turn without tools has the events of the wire in their order") {
  Player player;
  simple_turn(player);
  CHECK(player.types() ==
        std::vector<std::string>{
            "query-accepted", "backend.stream started", "backend.prompt started",
            "backend.prompt succeeded", "tool.schema.policy succeeded", "system-prompt",
            "user-message-full", "tool-schemas", "provider.call started", "llm-thought",
            "streaming-response", "streaming-response", "token-count", "provider.call succeeded",
            "assistant-message-full", "streaming-complete", "backend.stream succeeded"});
  for (std::size_t i = 0; i < player.frames().size(); ++i) {
    const json::value& frame = player.frames()[i];
    CHECK(frame.at("sequence").as_int64() == static_cast<std::int64_t>(i) + 1);
    CHECK(frame.at("id").as_string() == "turn-1");
    CHECK(frame.at("turn_ref").as_string() == "turn-1");
    CHECK(frame.at("conversation_ref").as_string() == "conv");
    CHECK(frame.at("user_id").as_string() == "user");
  }
  CHECK(player.frames()[0].at("event_id").as_string() == "turn-1-evt-000001-query-accepted");
  CHECK(player.frames()[0].at("timestamp").as_string() == "2026-03-03T16:00:00.001Z");
  const json::value& schema = player.payload(7).at("tool_schemas").at(0);
  CHECK(schema.at("name").as_string() == "f");
  CHECK(schema.at("function").at("parameters").at("type").as_string() == "object");
  CHECK(player.payload(12).at("thinking_tokens").is_null());
  CHECK(player.payload(15).at("final_response").as_string() == "Hello");
}

TEST_CASE("a client that comes back gets exactly what it has not seen") {
  Player whole;
  simple_turn(whole);
  for (std::size_t seen = 0; seen <= whole.frames().size(); ++seen) {
    TurnViewOptions options;
    options.after_sequence = static_cast<std::int64_t>(seen);
    Player rest(options);
    simple_turn(rest);
    REQUIRE(rest.frames().size() == whole.frames().size() - seen);
    for (std::size_t i = 0; i < rest.frames().size(); ++i) {
      CHECK(rest.frames()[i] == whole.frames()[seen + i]);
    }
  }
}

TEST_CASE("an answer that was not streamed is sent whole, a missing one is made up for") {
  Player player;
  player.accepted().prompt().model_call(1).model_done();
  player.finished(TurnEnd::Completed, "I completed it.", true);
  const auto types = player.types();
  CHECK(std::vector<std::string>(types.end() - 4, types.end()) ==
        std::vector<std::string>{"assistant-message-full", "streaming-response",
                                 "streaming-complete", "backend.stream succeeded"});
}

TEST_CASE("one call of a client's tool is a tool-call, several are a bundle") {
  Player one;
  one.accepted().add(EventKind::ToolCalls, ToolCallsBody{"", {call("1", ToolPlace::Client)}});
  const json::value& single = one.payload(one.frames().size() - 1);
  CHECK(one.types().back() == "tool-call");
  CHECK(single.at("request_id").as_string() == "req-1");
  CHECK(single.at("parameters").at("x").as_int64() == 1);
  CHECK(single.at("metadata").at("tool_call_id").as_string() == "1");
  CHECK_FALSE(single.at("metadata").as_object().contains("skip_local_execution"));

  Player several;
  several.accepted().add(EventKind::ToolCalls,
                         ToolCallsBody{"b",
                                       {call("1", ToolPlace::Client), call("2", ToolPlace::Daemon),
                                        call("3", ToolPlace::Client)}});
  CHECK(several.types() == std::vector<std::string>{"query-accepted", "backend.stream started",
                                                    "tool-bundle", "tool-call"});
  CHECK(several.payload(2).at("bundle_id").as_string() == "b");
  CHECK(several.payload(2).at("tools").as_array().size() == 2);
  CHECK(several.bundle() == std::vector<std::string>{"req-1", "req-3"});
  CHECK(several.payload(3).at("metadata").at("skip_local_execution").as_bool());
}

TEST_CASE("a malformed call is shown, not run") {
  Player player;
  player.accepted().add(EventKind::ToolCalls,
                        ToolCallsBody{"", {call("1", ToolPlace::Nowhere, "no such tool")}});
  const json::value& shown = player.payload(2);
  CHECK(shown.at("parameters").as_object().empty());
  CHECK(shown.at("metadata").at("llm_tool_call_validation_failed").as_bool());
  CHECK(shown.at("metadata").at("skip_local_execution").as_bool());
  ToolResultBody result;
  result.request = "req-1";
  result.name = "f";
  result.place = ToolPlace::Nowhere;
  result.is_error = true;
  result.output = "no such tool";
  player.add(EventKind::ToolResult, result);
  CHECK(player.types().back() == "tool-output");
  CHECK_FALSE(player.payload(3).at("success").as_bool());
  CHECK(player.payload(3).at("error").as_string() == "no such tool");
}

TEST_CASE("results of the client's own tools come back only when they are asked for") {
  ToolResultBody result;
  result.name = "f";
  result.place = ToolPlace::Client;
  Player quiet;
  quiet.accepted().add(EventKind::ToolResult, result);
  CHECK(quiet.types().back() == "backend.stream started");
  TurnViewOptions options;
  options.echo_tool_output = true;
  Player echoing(options);
  echoing.accepted().add(EventKind::ToolResult, result);
  CHECK(echoing.types().back() == "tool-output");
}

TEST_CASE("after an error only the closing trace follows") {
  Player player;
  ErrorBody error;
  error.code = AgentErrorCode::LLM_API_ERROR;
  error.provider = "openai";
  error.http_status = 500;
  player.accepted().add(EventKind::Error, error).finished(TurnEnd::Failed);
  CHECK(player.types() == std::vector<std::string>{"query-accepted", "backend.stream started",
                                                   "error", "backend.stream failed"});
  CHECK(player.payload(2).at("message").as_string() == "OpenAI API error (HTTP 500)");
  CHECK(player.errors() == 1);
}

TEST_CASE("a stopped turn says nothing more") {
  Player player;
  player.accepted();
  player.view().silence();
  player.text(EventKind::TextDelta, "late").finished(TurnEnd::Cancelled);
  CHECK(player.frames().size() == 2);
  CHECK(player.view().over());
}

TEST_CASE("a turn that a restart cut off ends with an error") {
  Player player;
  player.accepted().finished(TurnEnd::Restarted);
  CHECK(player.types() == std::vector<std::string>{"query-accepted", "backend.stream started",
                                                   "error", "backend.stream failed"});
}

TEST_CASE("the stages of an agent_definition are traced when it came with the query") {
  QueryMarks marks;
  marks.definition = true;
  Player without;
  without.accepted(marks);
  CHECK(without.frames().size() == 8);
  marks.manifest = true;
  Player with;
  with.accepted(marks);
  CHECK(with.frames().size() == 9);
  CHECK(with.payload(2).at("stage").as_string() == "client_tool_manifest.validate");
}

TEST_CASE("a checkpoint is sent to clients that name their revision") {
  QueryMarks marks;
  Player quiet;
  quiet.accepted(marks).add(EventKind::HistoryUpdated, HistoryUpdatedBody{3, 1});
  CHECK_FALSE(quiet.view().needs_history());

  marks.revision_id = "rev@1";
  Player player;
  player.accepted(marks).add(EventKind::HistoryUpdated, HistoryUpdatedBody{3, 1});
  REQUIRE(player.view().needs_history());
  SessionHistoryRows history;
  history.revision = 3;
  history.rows.emplace_back();
  history.rows.back().text = "hi";
  player.view().give_history(history);
  CHECK_FALSE(player.view().needs_history());
  const json::value& sent = player.payload(2);
  CHECK(sent.at("revision_id").as_string() == "rev@1");
  CHECK(sent.at("checkpoint_id").as_string() == "turn-1-checkpoint-3");
  CHECK(sent.at("rows").at(0).at("message_type").as_string() == "user_query");
}

TEST_CASE("a compaction within a turn is told with its traces") {
  CompactionReport report;
  report.reason = "auto-mid";
  report.summary = "short";
  report.rows.emplace_back();
  Player player;
  player.accepted().add(EventKind::CompactionStarted, report);
  player.add(EventKind::CompactionFinished, report).add(EventKind::CompactionFailed, report);
  const auto types = player.types();
  CHECK(std::vector<std::string>(types.begin() + 2, types.end()) ==
        std::vector<std::string>{"backend.compaction started", "context-compaction-started",
                                 "context-compaction-completed", "backend.compaction succeeded",
                                 "context-compaction-failed", "backend.compaction failed"});
  CHECK(player.payload(4).at("replacement_history_entries").as_array().size() == 1);
  CHECK(player.payload(4).at("skipped_reason").is_null());
}

TEST_CASE("a turn that is spoken says so in its second event, or why it is not") {
  QueryMarks marks;
  marks.speech = true;
  Player spoken;
  spoken.accepted(marks);
  CHECK(spoken.types() == std::vector<std::string>{"query-accepted", "tts.playback started",
                                                   "backend.stream started"});
  CHECK(spoken.frames()[1].at("sequence").as_int64() == 2);
  CHECK(spoken.payload(1).at("stage").as_string() == "session");
  CHECK_FALSE(spoken.payload(1).as_object().contains("error"));
  marks.mute = "no voice: \u201cslt\u201d +speech@x";
  Player mute;
  mute.accepted(marks);
  CHECK(mute.types() == std::vector<std::string>{"query-accepted", "tts.playback failed",
                                                 "backend.stream started"});
  CHECK(mute.payload(1).at("error").at("code").as_string() == "unavailable");
  CHECK(mute.payload(1).at("error").at("message").as_string() == marks.mute);
}

TEST_CASE("what a query's marks say survives the log") {
  QueryMarks marks;
  marks.definition = true;
  marks.revision_id = "a+manifest@b";
  const QueryMarks read = QueryMarks::of(marks.caller());
  CHECK(read.definition);
  CHECK_FALSE(read.manifest);
  CHECK(read.revision_id == "a+manifest@b");
  CHECK_FALSE(read.speech);
  CHECK(read.mute.empty());
  marks.speech = true;
  marks.mute = std::string(500, 'm');
  const QueryMarks mute = QueryMarks::of(marks.caller());
  CHECK(mute.speech);
  CHECK(mute.mute == std::string(160, 'm'));
  CHECK(mute.revision_id == marks.revision_id);
}

}  // namespace
}  // namespace gantry::agent_ws
