// SPDX-License-Identifier: Apache-2.0
// The fixtures by the contracts alone: what arrives on the stream of a run.
#include <catch2/catch.hpp>
#include <gantry/contracts/resource.hpp>
#include <gantry/testkit/fake_host.hpp>
#include <gantry/testkit/probe.hpp>

#include <algorithm>
#include <chrono>

#include "fixtures.hpp"

using namespace gantry;
using namespace gantry::mcp_fixtures;
using namespace std::chrono_literals;

namespace {

struct Loaded {
  testkit::FakeHost kit;
  Loaded() { REQUIRE(kit.load<Fixtures>("mcp_fixtures").ok()); }

  std::size_t tool_count() {
    const auto list = kit.host().bus().call_wait<ToolList>({});
    REQUIRE(list.ok());
    return (*list)->tools.size();
  }
};

ToolCallRequest call_of(const char* name) {
  ToolCallRequest request;
  request.name = name;
  return request;
}

std::string result_text(const testkit::StreamProbe<ToolRun>& run) {
  const auto chunks = run.all();
  if (chunks.empty() || !chunks.back().result) return "no result";
  return chunks.back().result->content.at(0).text;
}

}  // namespace

TEST_CASE("a tool that only answers sends one chunk and closes") {
  Loaded loaded;
  testkit::StreamProbe<ToolRun> run(loaded.kit.host(), call_of("test_simple_text"));
  loaded.kit.pump();
  CHECK(run.all().size() == 1);
  CHECK(result_text(run) == "This is a simple text response for testing.");
  REQUIRE(run.ends().size() == 1);
  CHECK(run.ends().front().code == Code::Ok);
}

TEST_CASE("progress and log only reach whoever looks at them") {
  Loaded loaded;
  for (const char* name : {"test_tool_with_progress", "test_tool_with_logging"}) {
    for (const bool watched : {false, true}) {
      auto request = call_of(name);
      request.progress = watched;
      if (watched) request.notices = NoticeLevel::Debug;
      testkit::StreamProbe<ToolRun> run(loaded.kit.host(), request);
      loaded.kit.pump();
      loaded.kit.advance(1s);
      INFO(name << ", watched: " << watched);
      CHECK(run.all().size() == (watched ? 4 : 1));
      CHECK(run.ends().size() == 1);
    }
  }
}

TEST_CASE("a run waits for the answers to all its questions") {
  Loaded loaded;
  auto request = call_of("test_input_required_result_multiple_inputs");
  request.client.elicit_form = request.client.sampling = request.client.roots = true;
  testkit::StreamProbe<ToolRun> run(loaded.kit.host(), request);
  loaded.kit.pump();
  REQUIRE(run.all().size() == 1);
  CHECK(run.all().front().asks.size() == 3);
  const auto answer = [&](const char* id, const char* result) {
    REQUIRE(run.stream().send(AskAnswer{id, Json(result), {}}).ok());
    loaded.kit.pump();
  };
  answer("greeting", R"({"content":{"type":"text","text":"Hi"}})");
  answer("user_name", R"({"action":"accept","content":{"name":"Ann"}})");
  CHECK(run.all().size() == 1);
  answer("client_roots", R"({"roots":[{"uri":"file:///a"}]})");
  CHECK(result_text(run) == "Hi Ann, file:///a");
}

TEST_CASE("a client that lacks what a tool asks is told what it lacks") {
  Loaded loaded;
  testkit::StreamProbe<ToolRun> run(loaded.kit.host(), call_of("test_missing_capability"));
  loaded.kit.pump();
  REQUIRE(run.ends().size() == 1);
  CHECK(run.ends().front().code == Code::FailedPrecondition);
  CHECK(run.ends().front().detail == R"({"required":["sampling"]})");
}

TEST_CASE("changing the lists is told, and told of") {
  Loaded loaded;
  testkit::EventProbe<ToolsChanged> changed(loaded.kit.host());
  const auto before = loaded.tool_count();
  testkit::StreamProbe<ToolRun> run(loaded.kit.host(), call_of("test_trigger_tool_change"));
  loaded.kit.pump();
  CHECK(changed.size() == 1);
  CHECK(loaded.tool_count() == before + 1);
}

TEST_CASE("a template makes its resource, and nothing else is one") {
  Loaded loaded;
  const auto read = [&](const char* uri) {
    return loaded.kit.host().bus().call_wait<ResourceRead>({uri, {}});
  };
  const auto made = read("test://template/123/data");
  REQUIRE(made.ok());
  CHECK((*made)->contents.at(0).text ==
        R"({"id":"123","templateTest":true,"data":"Data for ID: 123"})");
  for (const char* uri : {"test://template//data", "test://template/a/b/data", "test://nothing"}) {
    CHECK(read(uri).error().code == Code::NotFound);
  }
}

TEST_CASE("a prompt says which argument is missing") {
  Loaded loaded;
  testkit::StreamProbe<PromptGet> run(loaded.kit.host(),
                                      {"test_prompt_with_arguments", {{"arg1", "a"}}, {}, {}});
  loaded.kit.pump();
  REQUIRE(run.ends().size() == 1);
  CHECK(run.ends().front().code == Code::InvalidArgument);
  CHECK(run.ends().front().message.find("arg2") != std::string::npos);
}
