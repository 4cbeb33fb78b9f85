// SPDX-License-Identifier: Apache-2.0
// Limits, budgets, failures of models, and compaction.
#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "agent_world.hpp"

using namespace gantry;
using namespace gantry::testing;
using namespace std::chrono_literals;

namespace {

constexpr const char* kSlow = "@script delay 60s\n@script reply late";

std::size_t count(const std::string& text, const std::string& word) {
  std::size_t n = 0;
  for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++n;
  return n;
}

}  // namespace

TEST_CASE("who does not wait has four turns, and gets the place of one that ends") {
  AgentWorld world;
  world.waits = false;
  for (int i = 0; i < 4; ++i) CHECK(world.start(kSlow, {}, std::to_string(i)).ok());
  const auto fifth = world.start("@script reply no", {}, "5");
  REQUIRE_FALSE(fifth.ok());
  CHECK(fifth.error().code == Code::ResourceExhausted);
  CHECK(fifth.error().detail == R"({"limit":"principal"})");
  CHECK(world.start("@script reply yes", {}, "5", "bob").ok());
  world.kit().advance(61s);
  CHECK(world.start("@script reply yes", {}, "5").ok());
}

TEST_CASE("the process has its own limit") {
  AgentWorld world(R"({"limits":{"turns":2}})");
  world.waits = false;
  CHECK(world.start(kSlow, {}, "1", "ann").ok());
  CHECK(world.start(kSlow, {}, "1", "bob").ok());
  const auto third = world.start("@script reply no", {}, "1", "cid");
  REQUIRE_FALSE(third.ok());
  CHECK(third.error().detail == R"({"limit":"process"})");
  REQUIRE(world.call<TurnStop>({"bob", std::nullopt, {}, "", 0}).ok());
  world.kit().pump();
  CHECK(world.start("@script reply yes", {}, "1", "cid").ok());
}

TEST_CASE("of many turns that come at once the first begin while the last wait to be looked up") {
  AgentWorld world;
  constexpr int kTurns = 100;
  std::vector<std::string> answers;
  for (int i = 0; i < kTurns; ++i) {
    const std::string turn = "t" + std::to_string(i);
    world.kit().host().bus().call<TurnStart>(
        world.request(kSlow, turn, "s", "user" + std::to_string(i)),
        [&answers, turn](const Result<Ref<TurnStarted>>& started) {
          answers.push_back(turn + (started.ok() ? "" : " refused"));
        });
  }
  // On its way, and nobody has looked for its session yet.
  const auto stopped = world.call<TurnStop>({"user99", std::nullopt, "t99", "", 0});
  REQUIRE(stopped.ok());
  CHECK(stopped->turns.size() == 1);
  world.kit().pump();
  REQUIRE(answers.size() == kTurns);
  std::vector<std::string> expected;
  for (int i = 0; i < kTurns - 1; ++i) expected.push_back("t" + std::to_string(i));
  expected.emplace_back("t99 refused");
  std::sort(answers.begin(), answers.end());
  std::sort(expected.begin(), expected.end());
  CHECK(answers == expected);
  const auto& calls = world.kit().calls();
  const auto first_asked = std::find_if(calls.begin(), calls.end(), [](const auto& call) {
    return call.contract == "gantry.llm.chat/1";
  });
  REQUIRE(first_asked != calls.end());
  CHECK(std::any_of(first_asked, calls.end(), [](const auto& call) {
    return call.contract == "gantry.store.get/1" && call.sender == "agent_engine";
  }));
  world.kit().advance(61s);
  CHECK(world.log("s", "user98").back().kind == EventKind::TurnFinished);
}

TEST_CASE("turns above the limits wait for a place, and their users take turns") {
  AgentWorld world(R"({"limits":{"turns":1}})");
  REQUIRE(world.start(kSlow, {}, "1", "ann").ok());
  for (const char* key : {"2", "3"}) REQUIRE(world.start("@script reply yes", {}, key).ok());
  REQUIRE(world.start("@script delay 9s\n@script reply yes", {}, "1", "bob").ok());
  world.kit().pump();
  CHECK(world.log("2").size() == 1);  // accepted, nothing more
  CHECK(world.log("1", "bob").size() == 1);
  world.kit().advance(61s);
  CHECK(world.finished("2").end == TurnEnd::Completed);  // ann asked first
  CHECK(world.log("1", "bob").size() > 1);               // then it is bob's turn
  CHECK(world.log("3").size() == 1);
  world.kit().advance(10s);
  CHECK(world.finished("3").end == TurnEnd::Completed);
}

TEST_CASE("a turn that is stopped while it waits gives its place in the line to the next") {
  AgentWorld world(R"({"limits":{"turns":1,"waiting_per_principal":1}})");
  REQUIRE(world.start(kSlow, {}, "1", "ann").ok());
  REQUIRE(world.start("@script reply one", "t1", "2", "bob").ok());
  REQUIRE(world.start("@script reply two", {}, "3", "bob").ok());
  REQUIRE(world.call<TurnStop>({"bob", std::nullopt, "t1", "", 0}).ok());
  world.kit().advance(61s);
  CHECK(world.history("2", "bob").empty());
  CHECK(world.history("3", "bob").size() == 2);
}

TEST_CASE("the lines have bounds, and who is counted by himself has a line of his own") {
  AgentWorld world(
      R"({"limits":{"turns":1,"turns_per_principal":1,"waiting_per_principal":1,"waiting":3,)"
      R"("waiting_bytes":2000}})");
  const auto detail = [&world](const char* counted_for, const std::string& text) {
    static int keys = 0;
    auto request = world.request(text, {}, std::to_string(++keys));
    request.options.counted_for = counted_for;
    const auto started = world.call<TurnStart>(std::move(request));
    return started.ok() ? std::string() : started.error().detail;
  };
  CHECK(detail("tab 1", kSlow).empty());
  CHECK(detail("tab 1", kSlow).empty());  // waits
  CHECK(detail("tab 1", kSlow) == R"({"limit":"principal"})");
  CHECK(detail("tab 2", std::string(2000, 'x')) == R"({"limit":"process"})");
  CHECK(detail("tab 2", kSlow).empty());
  CHECK(detail("tab 3", kSlow).empty());
  CHECK(detail("tab 4", kSlow) == R"({"limit":"process"})");
}

TEST_CASE("who does not wait finds a place although others stand in line for other reasons") {
  AgentWorld world(R"({"limits":{"turns":3,"turns_per_principal":2}})");
  // One runs, the others stand behind it in their own session.
  for (int i = 0; i < 4; ++i) REQUIRE(world.start(kSlow, {}, "1", "ann").ok());
  world.kit().pump();
  world.waits = false;
  CHECK(world.start(kSlow, {}, "1", "bob").ok());
  CHECK(world.start(kSlow, {}, "2", "ann").ok());
  const auto third = world.start("@script reply no", {}, "3", "ann");
  REQUIRE_FALSE(third.ok());
  CHECK(third.error().detail == R"({"limit":"principal"})");
  const auto fourth = world.start("@script reply no", {}, "1", "cid");
  REQUIRE_FALSE(fourth.ok());
  CHECK(fourth.error().detail == R"({"limit":"process"})");
}

TEST_CASE("who does not wait cannot line up behind his own turn without end") {
  AgentWorld world(R"({"limits":{"turns_per_principal":2}})");
  world.waits = false;
  CHECK(world.start(kSlow).ok());
  CHECK(world.start(kSlow).ok());
  CHECK_FALSE(world.start(kSlow).ok());
}

TEST_CASE("turns that say nothing, too much or the same are refused, and cost no place") {
  AgentWorld world(R"({"limits":{"message_bytes":2000,"turns_per_principal":1}})");
  world.waits = false;
  CHECK(world.start(" \n").error().code == Code::InvalidArgument);
  CHECK(world.start(std::string(2001, 'x')).error().code == Code::OutOfRange);
  CHECK(world.start("hi", std::string(257, 't')).error().code == Code::InvalidArgument);
  auto request = world.request("look at this");
  request.attachments = {"0123.png"};
  CHECK_FALSE(world.call<TurnStart>(request).ok());
  CHECK(world.start("@script reply yes").ok());
}

TEST_CASE("settings of the model that there are not, or that do not fit, are refused") {
  AgentWorld world;
  const auto refusal = [&world](const char* settings) {
    TurnStartRequest request = world.request("@script reply hello");
    request.options.model_settings = Json(settings);
    const auto started = world.call<TurnStart>(std::move(request));
    return started.ok() ? std::string("none") : started.error().message;
  };
  CHECK(refusal(R"({"max_tokens":5})") ==
        "model_settings: there is no 'max_tokens'; it takes temperature, max_output_tokens, "
        "effort, web_search, image_output");
  CHECK(refusal(R"({"temperature":3})") == "model_settings: temperature is 0 to 2");
  CHECK(refusal(R"({"max_output_tokens":0})") == "model_settings: max_output_tokens is at least 1");
  CHECK(refusal(R"({"effort":"Much"})").starts_with("model_settings: "));
  CHECK(refusal("[]") == "model_settings: this is no JSON object");
  CHECK(refusal(R"({"temperature":0.5,"max_output_tokens":9,"effort":"High"})") == "none");
}

TEST_CASE("budgets end a turn and say which") {
  AgentWorld world(R"({"turn":{"max_model_calls":2}})");
  world.add_tool("look", true, [](const std::string&) { return ToolResult(); });
  world.policy.daemon_tools = {"*"};
  REQUIRE(world.start("@script tool look {}\n@script tool look {}\n@script reply done").ok());
  CHECK(world.finished().end == TurnEnd::Limit);
  CHECK(world.finished().model_calls == 2);
  auto request = world.request(kSlow);
  request.options.max_ms = 5000;
  REQUIRE(world.call<TurnStart>(request).ok());
  world.kit().advance(6s);
  CHECK(world.finished().end == TurnEnd::Limit);
}

TEST_CASE("a model that fails is asked once more when that may help") {
  struct Row {
    std::string error;
    std::size_t asked;
    AgentErrorCode code;
  };
  const std::vector<Row> rows{{"overloaded", 2, AgentErrorCode::LLM_API_ERROR},
                              {"timeout", 2, AgentErrorCode::LLM_API_ERROR},
                              {"rate_limit", 1, AgentErrorCode::LLM_RATE_LIMIT},
                              {"bad_key", 1, AgentErrorCode::CONFIG_ERROR},
                              {"bad_request", 1, AgentErrorCode::LLM_API_ERROR}};
  for (const Row& row : rows) {
    INFO(row.error);
    AgentWorld world;
    REQUIRE(world.start("@script error " + row.error).ok());
    CHECK(count(world.kinds(), "ModelCallStarted") == row.asked);
    CHECK(world.finished().end == TurnEnd::Failed);
    const auto errors = world.bodies<ErrorBody>(EventKind::Error);
    REQUIRE(errors.size() == 1);
    CHECK(errors[0].code == row.code);
  }
}

TEST_CASE("a model that has said something is not asked again") {
  AgentWorld world;
  REQUIRE(world.start("@script reply half\n@script error overloaded").ok());
  CHECK(count(world.kinds(), "ModelCallStarted") == 1);
  CHECK(world.finished().end == TurnEnd::Failed);
}

TEST_CASE("an unknown model is an error of the configuration") {
  AgentWorld world;
  auto request = world.request("hi");
  request.options.model = "no-such-model";
  REQUIRE(world.call<TurnStart>(request).ok());
  world.kit().pump();
  const auto errors = world.bodies<ErrorBody>(EventKind::Error);
  REQUIRE(errors.size() == 1);
  CHECK(errors[0].code == AgentErrorCode::CONFIG_ERROR);
  CHECK(world.history().size() == 1);  // what was said is kept
}

TEST_CASE("a long history is compacted by itself, and the last words stay") {
  AgentWorld world(
      R"({"compaction":{"trigger_tokens":900,"target_tokens":700,"summary_tokens":100,)"
      R"("keep_last":2}})");
  for (int i = 0; i < 6; ++i) {
    REQUIRE(world
                .start("@script reply answer " + std::to_string(i) + " " +
                       std::string(400, 'a' + static_cast<char>(i)))
                .ok());
  }
  const auto reports = world.bodies<CompactionReport>(EventKind::CompactionFinished);
  REQUIRE_FALSE(reports.empty());
  CHECK(reports[0].reason == "auto");
  CHECK(reports[0].after_tokens < reports[0].before_tokens);
  CHECK(reports[0].rows.front().type == RowType::ContextCompaction);
  CHECK(world.history().back().text.starts_with("answer 5"));
}

TEST_CASE("a prompt that is too long for its model is made shorter once, and asked again") {
  AgentWorld world(
      R"({"compaction":{"trigger_tokens":1000000,"target_tokens":300,"summary_tokens":50,)"
      R"("keep_last":1}})",
      R"({"context_window":1200})");
  for (int i = 0; i < 8; ++i) {
    REQUIRE(world.start("@script reply answer " + std::to_string(i) + " " + std::string(400, 'a'))
                .ok());
    INFO(world.finished().reason);
    CHECK(world.finished().end == TurnEnd::Completed);
  }
  const auto reports = world.bodies<CompactionReport>(EventKind::CompactionFinished);
  REQUIRE_FALSE(reports.empty());
  CHECK(reports[0].reason == "overflow");

  REQUIRE(world.start("@script reply " + std::string(9000, 'b'), {}, "long").ok());
  CHECK(world.finished("long").end == TurnEnd::Failed);
  const auto errors = world.bodies<ErrorBody>(EventKind::Error, "long");
  REQUIRE(errors.size() == 1);
  CHECK(errors[0].code == AgentErrorCode::LLM_ERROR);
  CHECK(count(world.kinds("long"), "ModelCallStarted") == 2);
}

TEST_CASE("compaction by hand keeps what it is told, and says when there is nothing to do") {
  AgentWorld world;
  const SessionKey session{"ann", "", "s"};
  for (int i = 0; i < 3; ++i) {
    REQUIRE(world.start("@script reply number " + std::to_string(i)).ok());
  }
  const auto too_few = world.call<SessionCompact>({session, true, 6, {}});
  REQUIRE(too_few.ok());
  CHECK(too_few->skipped == "insufficient-history");
  const auto below = world.call<SessionCompact>({session, false, 1, {}});
  REQUIRE(below.ok());
  CHECK(below->skipped == "below-threshold");
  const auto done = world.call<SessionCompact>({session, true, 1, {}});
  REQUIRE(done.ok());
  CHECK(done->skipped.empty());
  CHECK(done->removed_messages == 4);
  const auto rows = world.history();
  REQUIRE(rows.size() == 3);
  CHECK(rows[0].type == RowType::ContextCompaction);
  CHECK(rows[2].text == "number 2");
  world.restart();
  CHECK(world.history().size() == 3);
}
