// SPDX-License-Identifier: Apache-2.0
#include <gantry/contract.hpp>

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "run_view.hpp"

namespace gantry::chat_aide {
namespace {

/// A run whose frames are kept.
class Shown {
 public:
  RunView& view() { return view_; }
  [[nodiscard]] const std::vector<std::string>& frames() const { return frames_; }
  void text(const std::string& text) {
    SessionEvent event;
    event.kind = EventKind::TextDelta;
    event.text = text;
    view_.take(event);
  }
  template <class Body>
  void event(EventKind kind, const Body& body) {
    SessionEvent event;
    event.kind = kind;
    event.body = Json(to_json(body));
    view_.take(event);
  }
  void call(const std::string& request) {
    ToolCallsBody body;
    ToolCallItem item;
    item.request = request;
    item.name = "write_file";
    item.arguments = Json(R"({"a":1})");
    body.calls.push_back(item);
    event(EventKind::ToolCalls, body);
  }
  void ask(const std::string& request, EventKind kind, Decision decision = Decision::Open) {
    Approval approval;
    approval.id = "ask-" + request;
    approval.request = request;
    approval.tool = "write_file";
    approval.description = "Write a file";
    approval.decision = decision;
    event(kind, approval);
  }
  void result(const std::string& request, ToolEnd end, const std::string& output,
              bool is_error = false) {
    ToolResultBody body;
    body.request = request;
    body.name = "write_file";
    body.end = end;
    body.output = output;
    body.is_error = is_error;
    event(EventKind::ToolResult, body);
  }
  void finish(TurnEnd end, const std::string& text, const std::string& reason = {}) {
    TurnFinishedBody body;
    body.end = end;
    body.final_text = text;
    body.reason = reason;
    body.tool_calls = 1;
    body.input_tokens = 12;
    body.output_tokens = 5;
    event(EventKind::TurnFinished, body);
  }

 private:
  std::vector<std::string> frames_;
  RunView view_{
      "s",
      {[this](std::string frame) { frames_.push_back(std::move(frame)); }, [](const ImageRef&) {}}};
};

TEST_CASE("an answer that the engine made up for is said, but not beside a picture") {
  TurnFinishedBody body;
  body.end = TurnEnd::Completed;
  body.final_text = "The last tool answered: 3";
  body.final_was_empty = true;
  Shown told;
  told.event(EventKind::TurnFinished, body);
  REQUIRE(told.frames().size() == 2);
  CHECK(told.frames()[0] == R"({"type":"text","content":"The last tool answered: 3"})");
  CHECK(told.frames()[1].find(R"("text":"The last tool answered: 3")") != std::string::npos);
  Shown pictured;
  pictured.event(EventKind::Image, ImageRef{});
  pictured.event(EventKind::TurnFinished, body);
  REQUIRE(pictured.frames().size() == 1);
  CHECK(pictured.frames()[0].find(R"("text":"")") != std::string::npos);
}

TEST_CASE("a run with a tool that was confirmed, as its client sees it") {
  Shown run;
  run.text("I ");
  run.call("c1");
  run.ask("c1", EventKind::ApprovalRequested);
  CHECK(run.view().approval_of("c1") == "ask-c1");
  CHECK(run.view().open_approvals() == std::vector<std::string>{"ask-c1"});
  run.ask("c1", EventKind::ApprovalAnswered, Decision::Allow);
  CHECK(run.view().approval_of("c1").empty());
  run.result("c1", ToolEnd::Done, "written");
  run.finish(TurnEnd::Completed, "I did it.");
  CHECK(run.view().over());
  CHECK(
      run.frames() ==
      std::vector<std::string>{
          R"({"type":"text","content":"I "})",
          R"({"type":"tool_start","call_id":"c1","tool_name":"write_file","arguments":{"a":1}})",
          R"({"type":"confirmation_required","call_id":"c1","tool_name":"write_file","arguments":{},"description":"Write a file"})",
          R"({"type":"tool_done","call_id":"c1","tool_name":"write_file","success":true,"result_summary":"written","confirmed":true})",
          R"({"type":"done","text":"I did it.","tool_calls_made":1,"usage":{"input_tokens":12,"output_tokens":5},"session_id":"s"})"});
}

TEST_CASE("a denied call is done without success, and others were not confirmed") {
  Shown run;
  run.call("c1");
  run.ask("c1", EventKind::ApprovalRequested);
  run.ask("c1", EventKind::ApprovalAnswered, Decision::Deny);
  run.result("c1", ToolEnd::Denied, "whatever");
  run.call("c2");
  run.result("c2", ToolEnd::Done, "it failed", true);
  CHECK(
      run.frames()[2] ==
      R"({"type":"tool_done","call_id":"c1","tool_name":"write_file","success":false,"result_summary":"denied by user","confirmed":false})");
  CHECK(
      run.frames()[4] ==
      R"({"type":"tool_done","call_id":"c2","tool_name":"write_file","success":false,"result_summary":"it failed","confirmed":false})");
}

TEST_CASE("a run that fails has one error, and nothing after it") {
  Shown run;
  ErrorBody error;
  error.message = "Too Many Requests";
  error.http_status = 429;
  run.event(EventKind::Error, error);
  run.finish(TurnEnd::Failed, "");
  run.text("late");
  CHECK(run.frames() ==
        std::vector<std::string>{
            R"({"type":"error","message":"Provider error: 429 Too Many Requests"})"});
  Shown stopped;
  stopped.finish(TurnEnd::Cancelled, "", "somebody stopped it");
  CHECK(stopped.frames() ==
        std::vector<std::string>{
            R"({"type":"error","message":"the run was ended: somebody stopped it"})"});
  error.message = "429 Too Many Requests";
  CHECK(run_error_text(error) == "Provider error: 429 Too Many Requests");
  error.http_status = 0;
  error.message = "no model";
  CHECK(run_error_text(error) == "no model");
}

}  // namespace
}  // namespace gantry::chat_aide
