// SPDX-License-Identifier: Apache-2.0
//
// Questions of tools: asked within a session, or as the end of a request that goes on later.
#include <catch2/catch.hpp>

#include "messages.hpp"

namespace gantry::mcp {
namespace {

Ask confirm() {
  Ask ask;
  ask.id = "confirm";
  ask.message = "Really?";
  ask.params = Json(R"({"requestedSchema":{"type":"object","properties":{}}})");
  return ask;
}

/// A tool that has asked its client within a session, once.
struct Asked {
  World world;
  ToolUpdate update;
  std::string id;  ///< of the question, as JSON

  Asked() {
    world.initialize("2025-11-25", R"({"elicitation":{}})");
    outlet_ = world.send(request("5", "tools/call", R"({"name":"echo"})"));
    update.asks.push_back(confirm());
    id = ask();
  }
  /// Asks, once more; answers the id of the question, as JSON.
  std::string ask() {
    const std::size_t before = outlet_->sent.size();
    run().events.update(update);
    REQUIRE(outlet_->sent.size() == before + 1);
    return quoted(text_at(question(), "/id"));
  }
  [[nodiscard]] json::value question() const { return json::parse(outlet_->sent.back()); }
  [[nodiscard]] FakeRun& run() const { return *world.source->runs.at(0); }
  /// What is sent back for a result or an error, which is a member of the client's answer.
  std::shared_ptr<Recorder> answer(const std::string& to, const std::string& member) {
    return world.send(R"({"jsonrpc":"2.0","id":)" + to + "," + member + "}");
  }

 private:
  std::shared_ptr<Recorder> outlet_;
};

TEST_CASE("with a session a tool's question is a request to the client") {
  Asked asked;
  CHECK(text_at(asked.question(), "/method") == "elicitation/create");
  CHECK(text_at(asked.question(), "/params/mode") == "form");
  CHECK(text_at(asked.question(), "/params/message") == "Really?");
  asked.answer(asked.id, R"("result":{"action":"accept","content":{}})");
  REQUIRE(asked.run().answers.size() == 1);
  CHECK(asked.run().answers.at(0).error.empty());
}

TEST_CASE("of a client's own error a tool hears what an answer may repeat") {
  Asked asked;
  asked.answer(asked.id, R"("error":{"code":1,"message":")" + std::string(100'000, 'x') + R"("})");
  REQUIRE(asked.run().answers.size() == 1);
  CHECK(asked.run().answers.at(0).error == std::string(2048, 'x') + "…");
}

TEST_CASE("answers that come late, twice or unasked change nothing") {
  Asked asked;
  const auto& run = asked.run();
  const auto answer = [&](const std::string& to, const std::string& action) {
    const auto back = asked.answer(to, R"("result":{"action":")" + action + R"(","content":{}})");
    CHECK(back->response.empty());
    CHECK(back->sent.empty());
  };
  answer("\"gantry-99\"", "accept");
  answer("5", "accept");
  CHECK(run.answers.empty());
  answer(asked.id, "decline");
  answer(asked.id, "accept");
  REQUIRE(run.answers.size() == 1);
  CHECK(run.answers.at(0).result.text.find("decline") != std::string::npos);
  // The same question once more; its request is cancelled before the answer comes.
  const std::string late = asked.ask();
  CHECK(late != asked.id);
  asked.world.send(
      R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}})");
  CHECK(run.cancelled);
  answer(late, "accept");
  CHECK(run.answers.size() == 1);
  CHECK(asked.world.connection->under_way() == 0);
}

TEST_CASE("a client that cannot be asked is told what is missing") {
  World world;
  world.initialize("2025-11-25");
  const auto outlet = world.send(request("5", "tools/call", R"({"name":"echo"})"));
  ToolUpdate update;
  update.asks.push_back(confirm());
  world.source->runs.at(0)->events.update(update);
  CHECK(text_at(outlet->answer(), "/result/isError") == "true");
  CHECK(world.source->runs.at(0)->cancelled);

  World other;
  const auto refused =
      other.send(request("5", "tools/call", modern(R"("name":"echo","arguments":{})")));
  other.source->runs.at(0)->events.update(update);
  CHECK(text_at(refused->answer(), "/error/code") == "-32021");
  CHECK(refused->status == 400);
  CHECK(at(refused->answer(), "/error/data/requiredCapabilities/elicitation/form") != nullptr);
}

TEST_CASE("without a session a question ends the request, and its answer goes on with the run") {
  World world;
  const std::string able = R"({"elicitation":{"form":{}}})";
  const auto first =
      world.send(request("1", "tools/call", modern(R"("name":"echo","arguments":{})", able)));
  ToolUpdate update;
  update.asks.push_back(confirm());
  world.source->runs.at(0)->events.update(update);
  const auto asked = first->answer();
  CHECK(text_at(asked, "/result/resultType") == "input_required");
  CHECK(text_at(asked, "/result/inputRequests/confirm/method") == "elicitation/create");
  const std::string state = text_at(asked, "/result/requestState");

  const auto retry = [&](const std::string& with_state, const std::string& arguments,
                         const std::string& responses) {
    return world.send(
        request("2", "tools/call",
                modern(R"("name":"echo","arguments":)" + arguments + R"(,"requestState":)" +
                           quoted(with_state) + R"(,"inputResponses":)" + responses,
                       able)));
  };
  const std::string yes = R"({"confirm":{"action":"accept","content":{}}})";
  // Changed, and for other arguments: refused, and the run still waits.
  CHECK(text_at(retry(state + "0", "{}", yes)->answer(), "/error/code") == "-32602");
  CHECK(text_at(retry(state, R"({"x":1})", yes)->answer(), "/error/code") == "-32602");
  CHECK(world.source->runs.size() == 1);
  // Without the answer it asks again, with another state.
  const auto again = retry(state, "{}", R"({"other":{}})")->answer();
  CHECK(text_at(again, "/result/resultType") == "input_required");
  const std::string next = text_at(again, "/result/requestState");
  CHECK(next != state);
  CHECK(text_at(retry(state, "{}", yes)->answer(), "/error/code") == "-32602");
  // With it the same run goes on.
  const auto last = retry(next, "{}", yes);
  REQUIRE(world.source->runs.at(0)->answers.size() == 1);
  ToolUpdate done;
  done.result.emplace();
  done.result->content.push_back(text_block("done"));
  world.source->runs.at(0)->events.update(done);
  CHECK(text_at(last->answer(), "/result/content/0/text") == "done");
  CHECK(world.core.parked.size() == 0);
}

TEST_CASE("a state that has expired is refused, and its run is stopped") {
  World world;
  const std::string able = R"({"elicitation":{}})";
  const auto first =
      world.send(request("1", "tools/call", modern(R"("name":"echo","arguments":{})", able)));
  ToolUpdate update;
  update.asks.push_back(confirm());
  world.source->runs.at(0)->events.update(update);
  const std::string state = text_at(first->answer(), "/result/requestState");
  world.environment.now += (world.core.settings.asks.timeout + 1) * 1'000'000;
  world.core.parked.sweep(world.environment.now);
  CHECK(world.source->runs.at(0)->cancelled);
  const auto late = world.send(
      request("2", "tools/call",
              modern(R"("name":"echo","arguments":{},"requestState":)" + quoted(state), able)));
  CHECK(text_at(late->answer(), "/error/code") == "-32602");
}

}  // namespace
}  // namespace gantry::mcp
