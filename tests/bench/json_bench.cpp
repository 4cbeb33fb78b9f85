// SPDX-License-Identifier: Apache-2.0
//
// Decoding 100 kB agent messages (a chat with its history; a turn full of tool calls) into their
// described struct, beside Poco's DOM of the same text. The aim is at least 5 times Poco's
// speed: the codec builds the finished, checked struct, Poco only the tree.
#include <Poco/JSON/Parser.h>
#include <benchmark/benchmark.h>
#include <gantry/codec.hpp>

#include <boost/describe/class.hpp>
#include <string>
#include <vector>

namespace {

struct ToolCall {
  std::string id;
  std::string name;
  gantry::Json arguments;
};
BOOST_DESCRIBE_STRUCT(ToolCall, (), (id, name, arguments))

struct Message {
  std::string role;
  std::string content;
  std::vector<ToolCall> tool_calls;
  double created = 0;
  std::int64_t tokens = 0;
};
BOOST_DESCRIBE_STRUCT(Message, (), (role, content, tool_calls, created, tokens))

struct AgentMessage {
  std::string type;
  std::string session;
  std::uint64_t sequence = 0;
  std::vector<Message> messages;
  std::vector<std::string> tools;
  bool stream = false;
};
BOOST_DESCRIBE_STRUCT(AgentMessage, (), (type, session, sequence, messages, tools, stream))

constexpr std::size_t kMessageBytes = 100'000;

/// A chat with its history: long texts with quotes, line breaks and accents, and some tool calls.
AgentMessage chat() {
  AgentMessage message{"query", "s-1", 42, {}, {"read_file", "run_shell_command"}, true};
  std::string text;
  for (int i = 0; text.size() < 700; ++i) {
    text +=
        "line " + std::to_string(i) + ": the window \"Editor\" shows caf\u00e9 \u2014 and a\tb\n";
  }
  for (int i = 0; gantry::to_json(message).size() < kMessageBytes; ++i) {
    Message turn{i % 2 != 0 ? "assistant" : "user", text, {}, 1.7e9 + i * 0.25, 150 + i};
    for (int k = 0; k < i % 3; ++k) {
      turn.tool_calls.push_back(
          {"call_" + std::to_string(i), "run_shell_command",
           gantry::Json(
               R"({"command":"ls -la /tmp","timeout":30,"env":{"LANG":"C","N":[1,2,3.5]}})")});
    }
    message.messages.push_back(std::move(turn));
  }
  return message;
}

/// A turn full of tool calls: many small values instead of long texts.
AgentMessage tools() {
  AgentMessage message{"query", "s-1", 42, {}, {"click_at"}, true};
  for (int i = 0; gantry::to_json(message).size() < kMessageBytes; ++i) {
    Message turn{"assistant", "", {}, 1.7e9 + i * 0.25, 150 + i};
    turn.tool_calls.push_back(
        {"call_" + std::to_string(i), "click_at",
         gantry::Json(R"({"x":10,"y":20,"button":"left","count":1,"modifiers":["ctrl"],)"
                      R"("region":{"x":1,"y":2,"width":300,"height":400.5},"dry_run":false})")});
    message.messages.push_back(std::move(turn));
  }
  return message;
}

/// The JSON of chat() (0) or tools() (1).
const std::string& sample(std::int64_t which) {
  static const std::string samples[] = {gantry::to_json(chat()), gantry::to_json(tools())};
  return samples[which];
}

void describe(benchmark::State& state) {
  const auto size = static_cast<std::int64_t>(sample(state.range(0)).size());
  state.SetBytesProcessed(size * state.iterations());
  state.SetLabel((state.range(0) == 0 ? "chat, " : "tool calls, ") + std::to_string(size) +
                 " bytes");
}

void decode_codec(benchmark::State& state) {
  for (auto _ : state) {
    auto value = gantry::from_json<AgentMessage>(sample(state.range(0)));
    if (!value.ok()) state.SkipWithError("not decoded");
    benchmark::DoNotOptimize(value);
  }
  describe(state);
}
BENCHMARK(decode_codec)->Arg(0)->Arg(1)->Unit(benchmark::kMicrosecond);

void decode_poco_dom(benchmark::State& state) {
  for (auto _ : state) {
    Poco::JSON::Parser parser;
    auto value = parser.parse(sample(state.range(0)));
    benchmark::DoNotOptimize(value);
  }
  describe(state);
}
BENCHMARK(decode_poco_dom)->Arg(0)->Arg(1)->Unit(benchmark::kMicrosecond);

void encode_codec(benchmark::State& state) {
  const auto value = gantry::from_json<AgentMessage>(sample(state.range(0)));
  for (auto _ : state) {
    std::string json = gantry::to_json(*value);
    benchmark::DoNotOptimize(json);
  }
  describe(state);
}
BENCHMARK(encode_codec)->Arg(0)->Arg(1)->Unit(benchmark::kMicrosecond);

void encode_poco_dom(benchmark::State& state) {
  const auto value = Poco::JSON::Parser().parse(sample(state.range(0)));
  for (auto _ : state) {
    std::string json = value.convert<std::string>();
    benchmark::DoNotOptimize(json);
  }
  describe(state);
}
BENCHMARK(encode_poco_dom)->Arg(0)->Arg(1)->Unit(benchmark::kMicrosecond);

}  // namespace
