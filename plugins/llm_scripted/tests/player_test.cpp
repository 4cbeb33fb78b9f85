// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <gantry/contracts/llm.hpp>
#include <gantry/llm/errors.hpp>
#include <gantry/testkit/fake_host.hpp>
#include <gantry/testkit/probe.hpp>
#include <gantry/testkit/temp_dir.hpp>

#include "scripted_plugin.hpp"

using namespace gantry;
using namespace std::chrono_literals;
using Probe = testkit::StreamProbe<LlmChat>;

namespace {

LlmMessage message(LlmRole role, std::string text) {
  LlmMessage out;
  out.role = role;
  out.blocks.emplace_back().text = std::move(text);
  return out;
}

LlmChatRequest ask(std::string text) {
  LlmChatRequest request;
  request.messages.push_back(message(LlmRole::User, std::move(text)));
  return request;
}

struct Played {
  std::string text, thoughts;
  std::vector<LlmToolCall> calls;
  std::optional<LlmFinish> finish;
  std::size_t pieces = 0;
};

Played read(const std::vector<LlmChunk>& chunks) {
  Played out;
  for (const LlmChunk& chunk : chunks) {
    if (chunk.kind == LlmChunkKind::Text) {
      out.text += chunk.text;
      ++out.pieces;
    }
    if (chunk.kind == LlmChunkKind::Thinking) out.thoughts += chunk.text;
    if (chunk.kind == LlmChunkKind::ToolCall) out.calls.push_back(*chunk.tool_call);
    if (chunk.finish) out.finish = chunk.finish;
  }
  return out;
}

struct World {
  testkit::FakeHost kit;
  scripted::ScriptedPlugin* plugin = nullptr;
  explicit World(std::string_view config = "{}") {
    const auto loaded = kit.load<scripted::ScriptedPlugin>("llm_scripted", config);
    REQUIRE(loaded.ok());
    plugin = *loaded;
  }
  Played play(LlmChatRequest request) {
    Probe probe(kit.host(), std::move(request));
    kit.pump();
    REQUIRE(probe.ends().size() == 1);
    INFO(probe.ends()[0].message);
    REQUIRE(probe.ends()[0].code == Code::Ok);
    return read(probe.all());
  }
};

}  // namespace

TEST_CASE("a reply comes word by word") {
  World world;
  const Played played = world.play(ask("@script reply Hello, dear  world"));
  CHECK(played.text == "Hello, dear  world");
  CHECK(played.pieces == 3);
  REQUIRE(played.finish);
  CHECK(played.finish->reason == LlmFinishReason::Stop);
  REQUIRE(played.finish->blocks.size() == 1);
  CHECK(played.finish->blocks[0].text == "Hello, dear  world");
  CHECK(played.finish->usage.estimated);
}

TEST_CASE("nothing is kept of an answer that is over") {
  World world;
  world.play(ask("@script reply Hello"));
  Probe hanging(world.kit.host(), ask("@script hang"));
  world.kit.pump();
  CHECK(world.plugin->open() == 1);
  hanging.stream().close();
  world.kit.pump();
  CHECK(world.plugin->open() == 0);
}

TEST_CASE("a long reply waits for credit and loses nothing") {
  World world;
  std::string words;
  for (int i = 0; i < 500; ++i) words += "word" + std::to_string(i) + ' ';
  words += "end";
  CHECK(world.play(ask("@script reply " + words)).text == words);
}

TEST_CASE("a script goes on where the results of its tools arrive") {
  World world;
  LlmChatRequest request =
      ask("@script tool list_windows {}\n@script batch [{\"tool\":\"a\",\"args\":{\"x\":1}},"
          "{\"tool\":\"b\"}]\n@script reply Done.");
  Played first = world.play(request);
  REQUIRE(first.calls.size() == 1);
  CHECK(first.calls[0].id == "scripted_call_1");
  CHECK(first.calls[0].name == "list_windows");
  CHECK(first.finish->reason == LlmFinishReason::ToolCalls);

  LlmMessage assistant;
  assistant.role = LlmRole::Assistant;
  assistant.blocks = first.finish->blocks;
  request.messages.push_back(assistant);
  LlmMessage result;
  result.role = LlmRole::Tool;
  result.blocks.emplace_back().kind = LlmBlockKind::ToolResult;
  result.blocks[0].tool_result =
      LlmToolResult{"scripted_call_1", "list_windows", "2 windows", {}, {}};
  request.messages.push_back(result);
  const Played second = world.play(request);
  REQUIRE(second.calls.size() == 2);
  CHECK(second.calls[0].id == "scripted_call_2");
  CHECK(second.calls[1].id == "scripted_call_3");
  CHECK(second.calls[0].arguments.text == R"({"x":1})");

  assistant.blocks = second.finish->blocks;
  request.messages.push_back(assistant);
  CHECK(world.play(request).text == "Done.");
  request.messages.push_back(assistant);
  CHECK(world.play(request).text == "result list_windows: 2 windows");
}

TEST_CASE("delays pass on the host's clock only") {
  World world;
  Probe probe(world.kit.host(), ask("@script chunks [\"a\",\"b\"] every 50ms\n@script delay 1s\n"
                                    "@script reply c"));
  world.kit.pump();
  CHECK(read(probe.all()).text == "a");
  world.kit.advance(49ms);
  CHECK(read(probe.all()).text == "a");
  world.kit.advance(1ms);
  CHECK(read(probe.all()).text == "ab");
  world.kit.advance(999ms);
  CHECK(read(probe.all()).text == "ab");
  world.kit.advance(1ms);
  CHECK(read(probe.all()).text == "abc");
  CHECK(probe.ends().size() == 1);
}

TEST_CASE("the configured delay between words holds") {
  World world(R"({"word_delay":100})");
  Probe probe(world.kit.host(), ask("@script reply a b"));
  world.kit.pump();
  CHECK(read(probe.all()).text == "a ");
  world.kit.advance(100ms);
  CHECK(read(probe.all()).text == "a b");
}

TEST_CASE("thoughts, images, searches, usage and the reason to end") {
  World world;
  Probe probe(
      world.kit.host(),
      ask("@script thinking I think.\n@script search cats\n@script image\n"
          "@script usage {\"prompt_tokens\": 7, \"output_tokens\": 3, \"cached_tokens\": 2}\n"
          "@script finish length"));
  world.kit.pump();
  const Played played = read(probe.all());
  CHECK(played.thoughts == "I think.");
  REQUIRE(played.finish);
  CHECK(played.finish->reason == LlmFinishReason::Length);
  CHECK(played.finish->usage.prompt_tokens == 7);
  CHECK(played.finish->usage.cached_tokens == 2);
  CHECK_FALSE(played.finish->usage.estimated);
  REQUIRE(played.finish->blocks.size() == 2);
  CHECK(played.finish->blocks[0].kind == LlmBlockKind::Thinking);
  CHECK(played.finish->blocks[1].image->data.text().substr(1, 3) == "PNG");
  int searches = 0;
  for (const LlmChunk& chunk : probe.all()) searches += chunk.search ? 1 : 0;
  CHECK(searches == 2);
}

TEST_CASE("errors are those of real providers") {
  World world;
  Probe probe(world.kit.host(),
              ask("@script reply a\n@script error rate_limit retry_after=1500ms Slow down."));
  world.kit.pump();
  REQUIRE(probe.ends().size() == 1);
  CHECK(probe.ends()[0].code == Code::ResourceExhausted);
  CHECK(probe.ends()[0].message == "Slow down.");
  const auto detail = from_json<LlmErrorDetail>(probe.ends()[0].detail);
  REQUIRE(detail.ok());
  CHECK(detail->kind == "rate_limit");
  CHECK(detail->retry_after_ms == 1500);
  CHECK(detail->visible);
}

TEST_CASE("malformed arguments arrive as a call that nobody may run") {
  World world;
  const Played played = world.play(ask("@script malformed run {\"a\": \"half"));
  REQUIRE(played.calls.size() == 1);
  CHECK(played.calls[0].arguments.text == "{}");
  CHECK_THAT(played.calls[0].problem, Catch::Contains("not a JSON object"));
}

TEST_CASE("an answer that hangs ends when it is cancelled") {
  World world;
  Probe probe(world.kit.host(), ask("@script reply a\n@script hang"));
  world.kit.advance(1h);
  CHECK(probe.ends().empty());
  CHECK(read(probe.all()).text == "a");
  probe.stream().close();
  world.kit.advance(1h);
  CHECK_FALSE(read(probe.all()).finish);
}

TEST_CASE("show tells what reached the model, without credentials") {
  World world;
  LlmChatRequest request = ask("@script show request");
  request.messages.insert(request.messages.begin(), message(LlmRole::System, "Be kind."));
  request.tools.push_back({"list_windows", "Lists.", Json(R"({"type":"object"})"), false});
  request.credentials.push_back({"scripted", {"sk-very-secret"}});
  const std::string shown = world.play(request).text;
  CHECK_THAT(shown, Catch::Contains("Be kind.") && Catch::Contains("list_windows"));
  CHECK_THAT(shown, !Catch::Contains("sk-very-secret"));
  const auto [what, expected] = GENERATE(table<const char*, const char*>({
      {"system", "Be kind."},
      {"tools", "list_windows"},
      {"messages", "system: Be kind.\nuser: @script show messages"},
      {"results", ""},
      {"weather",
       "`show weather` is unknown; it shows system, user, messages, results, tools, model or "
       "request"},
  }));
  request.messages.back() = message(LlmRole::User, std::string("@script show ") + what);
  CHECK(world.play(request).text == expected);
}

TEST_CASE("image? tells whether images reached the model") {
  World world;
  LlmChatRequest request = ask("@script image?");
  CHECK(world.play(request).text == "no image");
  request.messages[0].blocks.emplace_back().kind = LlmBlockKind::Image;
  request.messages[0].blocks[1].image = LlmImage{Buffer::copy("12345"), "image/png", {}, {}};
  CHECK(world.play(request).text == "1 image: image/png 5 bytes");
}

TEST_CASE("scripts come from files, too") {
  testkit::TempDir folder;
  folder.write("one", "# a comment\n@script reply from the folder\n");
  const std::string config = "{\"script_dir\":\"" + folder.path().string() +
                             "\",\"script_file\":\"" + (folder.path() / "one").string() + "\"}";
  World world(config);
  CHECK(world.play(ask("@script file one")).text == "from the folder");
  CHECK(world.play(ask("no script here")).text == "from the folder");
  const std::string name = GENERATE("../one", "/etc/passwd", ".hidden", "");
  Probe probe(world.kit.host(), ask("@script file " + name));
  world.kit.pump();
  REQUIRE(probe.ends().size() == 1);
  CHECK(probe.ends()[0].code == Code::InvalidArgument);
}

TEST_CASE("without a script it says what it is") {
  World world;
  CHECK_THAT(world.play(ask("hello")).text, Catch::Contains("@script reply"));
}

TEST_CASE("a prompt that is too long is refused as by a real provider") {
  World world(R"({"context_window":10})");
  Probe probe(world.kit.host(), ask("@script reply " + std::string(400, 'a')));
  world.kit.pump();
  REQUIRE(probe.ends().size() == 1);
  CHECK(probe.ends()[0].code == Code::OutOfRange);
  CHECK_THAT(probe.ends()[0].detail, Catch::Contains("context_overflow"));
}

TEST_CASE("the catalogue and the count") {
  World world;
  const auto models = world.kit.host().bus().call_wait<LlmModels>({});
  REQUIRE(models.ok());
  REQUIRE((*models)->models.size() == 1);
  CHECK((*models)->models[0].id == "scripted");
  CHECK((*models)->models[0].available);
  LlmCountRequest request;
  request.messages.push_back(message(LlmRole::User, "four letters each word"));
  const auto count = world.kit.host().bus().call_wait<LlmCountTokens>(request);
  REQUIRE(count.ok());
  CHECK_FALSE((*count)->exact);
  CHECK((*count)->tokens == 4 + 6);
}
