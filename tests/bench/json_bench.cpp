// SPDX-License-Identifier: Apache-2.0
//
// Decoding a 100 kB agent message (a chat turn with its history, tool calls and an attachment) into
// its described struct, beside Poco's DOM of the same text. The aim is at least 5 times Poco's
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

const std::string& sample() {
  static const std::string json = [] {
    AgentMessage message{"query", "s-1", 42, {}, {"read_file", "run_shell_command"}, true};
    std::string text;
    for (int i = 0; text.size() < 700; ++i) {
      text +=
          "line " + std::to_string(i) + ": the window \"Editor\" shows caf\u00e9 \u2014 and a\tb\n";
    }
    for (int i = 0; gantry::to_json(message).size() < 100000; ++i) {
      Message turn{i % 2 != 0 ? "assistant" : "user", text, {}, 1.7e9 + i * 0.25, 150 + i};
      for (int k = 0; k < i % 3; ++k) {
        turn.tool_calls.push_back(
            {"call_" + std::to_string(i), "run_shell_command",
             gantry::Json(
                 R"({"command":"ls -la /tmp","timeout":30,"env":{"LANG":"C","N":[1,2,3.5]}})")});
      }
      message.messages.push_back(std::move(turn));
    }
    return gantry::to_json(message);
  }();
  return json;
}

void set_bytes(benchmark::State& state) {
  state.SetBytesProcessed(static_cast<std::int64_t>(sample().size()) * state.iterations());
  state.counters["message_bytes"] = static_cast<double>(sample().size());
}

void decode_codec(benchmark::State& state) {
  for (auto _ : state) {
    auto value = gantry::from_json<AgentMessage>(sample());
    if (!value.ok()) state.SkipWithError("not decoded");
    benchmark::DoNotOptimize(value);
  }
  set_bytes(state);
}
BENCHMARK(decode_codec)->Unit(benchmark::kMicrosecond);

void decode_poco_dom(benchmark::State& state) {
  for (auto _ : state) {
    Poco::JSON::Parser parser;
    auto value = parser.parse(sample());
    benchmark::DoNotOptimize(value);
  }
  set_bytes(state);
}
BENCHMARK(decode_poco_dom)->Unit(benchmark::kMicrosecond);

void encode_codec(benchmark::State& state) {
  const auto value = gantry::from_json<AgentMessage>(sample());
  for (auto _ : state) {
    std::string json = gantry::to_json(*value);
    benchmark::DoNotOptimize(json);
  }
  set_bytes(state);
}
BENCHMARK(encode_codec)->Unit(benchmark::kMicrosecond);

void encode_poco_dom(benchmark::State& state) {
  const auto value = Poco::JSON::Parser().parse(sample());
  for (auto _ : state) {
    std::string json = value.convert<std::string>();
    benchmark::DoNotOptimize(json);
  }
  set_bytes(state);
}
BENCHMARK(encode_poco_dom)->Unit(benchmark::kMicrosecond);

}  // namespace
