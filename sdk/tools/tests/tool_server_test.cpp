// SPDX-License-Identifier: Apache-2.0
#include <gantry/tools/tool_server.hpp>

#include <catch2/catch.hpp>
#include <gantry/plugin.hpp>
#include <gantry/testkit/fake_host.hpp>
#include <gantry/testkit/probe.hpp>

#include <optional>
#include <string>
#include <vector>

using namespace gantry;
using namespace gantry::tools;

namespace {

/// Two tools: one that answers at once, one that waits for the test.
class Serving final : public Plugin {
 public:
  explicit Serving(Host& host) : Plugin(host), server(host) {}
  Result<void> init() override {
    server.set_callers({"test"});
    Tool now;
    now.description.name = "now";
    now.description.input_schema = Json(R"({"type":"object","properties":{"a":{},"b":{}}})");
    now.run = [](const CallPtr& call) { call->finish(text_result(call->owner())); };
    Tool later = now;
    later.description.name = "later";
    later.run = [this](const CallPtr& call) {
      waiting = call;
      call->on_cancel([this] { ++cancelled; });
    };
    return server.serve({now, later});
  }
  void stop(Deadline) override { server.stop(); }

  ToolServer server;
  CallPtr waiting;
  int cancelled = 0;
};

struct Loaded {
  testkit::FakeHost kit;
  Serving* plugin;
  Loaded() {
    auto loaded = kit.load<Serving>("tools");
    REQUIRE(loaded.ok());
    plugin = *loaded;
  }
  testkit::StreamProbe<ToolRun> run(const char* name, const char* arguments = "{}",
                                    const char* host = "test") {
    ToolCallRequest request;
    request.name = name;
    request.arguments = Json(arguments);
    request.principal = "ann";
    request.session = "s";
    testkit::StreamProbe<ToolRun> probe(kit.host(host), request);
    kit.pump();
    return probe;
  }
};

std::optional<ToolResult> result_of(const testkit::StreamProbe<ToolRun>& run) {
  return run.all().size() == 1 ? run.all().front().result : std::nullopt;
}

}  // namespace

TEST_CASE("a call is answered and its stream ends well") {
  Loaded loaded;
  const auto run = loaded.run("now", R"({"a":1})");
  REQUIRE(result_of(run));
  CHECK(result_of(run)->content.front().text == "3:ann/s");
  REQUIRE(run.ends().size() == 1);
  CHECK(run.ends().front().code == Code::Ok);
}

TEST_CASE("of a call nothing is kept when its stream has ended, whichever side ended it") {
  Loaded loaded;
  const auto answered = loaded.run("now");
  const auto refused = loaded.run("now", R"({"c":1})");
  auto given_up = loaded.run("later");
  CHECK(loaded.plugin->server.open() == 1);
  given_up.stream().close(Error{Code::Cancelled, "enough", {}});
  loaded.kit.pump();
  CHECK(loaded.plugin->server.open() == 0);
}

TEST_CASE("a result waits for credit that progress has used up, also when its call is gone") {
  Loaded loaded;
  ToolCallRequest request;
  request.name = "later";
  request.progress = true;
  StreamOptions slow;
  slow.receive_credit = 2;
  slow.manual_credit = true;
  testkit::StreamProbe<ToolRun> probe(loaded.kit.host("test"), request, slow);
  loaded.kit.pump();
  REQUIRE(loaded.plugin->waiting);
  for (const char* step : {"one", "two", "three"}) loaded.plugin->waiting->progress(step);
  loaded.plugin->waiting->finish(text_result("done"));
  loaded.plugin->waiting.reset();
  loaded.kit.pump();
  REQUIRE(probe.all().size() == 2);
  CHECK(probe.ends().empty());
  SECTION("there is room again") {
    probe.stream().grant(1);
    loaded.kit.pump();
    REQUIRE(probe.all().size() == 3);
    REQUIRE(probe.all().back().result);
    CHECK(probe.all().back().result->content.front().text == "done");
    REQUIRE(probe.ends().size() == 1);
    CHECK(probe.ends().front().code == Code::Ok);
  }
  SECTION("the caller gives up") {
    probe.stream().close(Error{Code::Cancelled, "gave up", {}});
    loaded.kit.pump();
    CHECK(probe.all().size() == 2);
    CHECK(loaded.plugin->cancelled == 0);
  }
}

TEST_CASE("only plugins that may call see tools") {
  Loaded loaded;
  const auto seen = [&](const char* who) {
    return (*loaded.kit.host(who).bus().call_wait<ToolList>({}))->tools.size();
  };
  CHECK(seen("test") == 2);
  CHECK(seen("other") == 0);
  const auto run = loaded.run("now", "{}", "other");
  REQUIRE(run.ends().size() == 1);
  CHECK(run.ends().front().code == Code::NotFound);
  CHECK(run.ends().front().message.find("tools.callers") != std::string::npos);
  loaded.plugin->server.set_callers({"*"});
  CHECK(seen("other") == 2);
}

TEST_CASE("arguments that the tool does not have are named") {
  Loaded loaded;
  const auto run = loaded.run("now", R"({"a":1,"c":2})");
  REQUIRE(result_of(run));
  CHECK(result_of(run)->is_error);
  CHECK(result_of(run)->content.front().text ==
        "invalid_argument: unknown arguments: c; there are a, b");
  CHECK(
      result_of(run)->structured->text ==
      R"({"error":{"code":"invalid_argument","message":"unknown arguments: c; there are a, b"}})");
  CHECK(result_of(loaded.run("now", "[1]"))->is_error);
  CHECK(loaded.run("none").ends().front().code == Code::NotFound);
}

TEST_CASE("who hangs up cancels, once, and is not answered any more") {
  Loaded loaded;
  auto run = loaded.run("later");
  REQUIRE(loaded.plugin->waiting);
  run.stream().close(Error{Code::Cancelled, "enough", {}});
  loaded.kit.pump();
  CHECK(loaded.plugin->cancelled == 1);
  CHECK(loaded.plugin->waiting->over());
  loaded.plugin->waiting->finish(text_result("late"));
  loaded.kit.pump();
  CHECK(run.all().empty());
  bool at_once = false;
  loaded.plugin->waiting->on_cancel([&] { at_once = true; });
  CHECK(at_once);
}

TEST_CASE("the first answer counts, and an answered call is not cancelled") {
  Loaded loaded;
  auto run = loaded.run("later");
  loaded.plugin->waiting->finish(text_result("one"));
  loaded.plugin->waiting->finish(text_result("two"));
  loaded.kit.pump();
  REQUIRE(result_of(run));
  CHECK(result_of(run)->content.front().text == "one");
  run.stream().close();
  loaded.kit.pump();
  CHECK(loaded.plugin->cancelled == 0);
}

TEST_CASE("what is missing ends the run, other failures are results") {
  Loaded loaded;
  auto missing = loaded.run("later");
  loaded.plugin->waiting->fail(unavailable("no x", "get x"));
  loaded.kit.pump();
  CHECK(missing.all().empty());
  CHECK(missing.ends().front().code == Code::Unavailable);
  auto failed = loaded.run("later");
  loaded.plugin->waiting->answer(not_found("no y"));
  loaded.kit.pump();
  CHECK(result_of(failed)->content.front().text == "not_found: no y");
}

TEST_CASE("a call that is dropped without an answer fails") {
  Loaded loaded;
  auto run = loaded.run("later");
  loaded.plugin->waiting.reset();
  loaded.kit.pump();
  REQUIRE(result_of(run));
  CHECK(result_of(run)->is_error);
}

TEST_CASE("stopping ends what is open") {
  Loaded loaded;
  auto run = loaded.run("later");
  loaded.plugin->server.stop();
  loaded.kit.pump();
  CHECK(loaded.plugin->cancelled == 1);
  REQUIRE(run.ends().size() == 1);
  CHECK(run.ends().front().code == Code::Unavailable);
}

TEST_CASE("what comes after the stop does not begin") {
  Loaded loaded;
  loaded.plugin->server.stop();
  const auto run = loaded.run("later");
  CHECK(loaded.plugin->waiting == nullptr);
  CHECK(run.all().empty());
  REQUIRE(run.ends().size() == 1);
  CHECK(run.ends().front().code == Code::Unavailable);
}

TEST_CASE("a question goes to the caller's user and its answer comes back, once") {
  Loaded loaded;
  auto run = loaded.run("later");
  std::vector<std::string> heard;
  Ask ask;
  ask.id = "q1";
  loaded.plugin->waiting->ask(ask, [&](const AskAnswer& answer) {
    heard.push_back(answer.error.empty() ? answer.result.text : answer.error);
  });
  loaded.kit.pump();
  REQUIRE(run.all().size() == 1);
  CHECK(run.all().front().asks.at(0).id == "q1");
  (void)run.stream().send({"another", Json("{}"), {}});
  (void)run.stream().send({"q1", Json("[1]"), {}});
  (void)run.stream().send({"q1", Json("[2]"), {}});
  loaded.kit.pump();
  CHECK(heard == std::vector<std::string>{"[1]"});
}

TEST_CASE("a question of a call that is given up is answered with that") {
  Loaded loaded;
  auto run = loaded.run("later");
  int failed = 0;
  const auto count = [&](const AskAnswer& answer) { failed += answer.error.empty() ? 0 : 1; };
  loaded.plugin->waiting->ask(Ask{}, count);
  run.stream().close(Error{Code::Cancelled, "enough", {}});
  loaded.kit.pump();
  CHECK(failed == 1);
  loaded.plugin->waiting->ask(Ask{}, count);
  CHECK(failed == 2);
}

TEST_CASE("progress grows, and nobody who does not look at it gets any") {
  for (const bool looks : {false, true}) {
    Loaded loaded;
    ToolCallRequest request;
    request.name = "later";
    request.progress = looks;
    testkit::StreamProbe<ToolRun> run(loaded.kit.host("test"), request);
    loaded.kit.pump();
    loaded.plugin->waiting->progress("one");
    loaded.plugin->waiting->progress("two");
    loaded.kit.pump();
    REQUIRE(run.all().size() == (looks ? 2 : 0));
    if (looks) CHECK(run.all()[1].progress->progress > run.all()[0].progress->progress);
  }
}
