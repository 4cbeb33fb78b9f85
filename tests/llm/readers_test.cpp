// SPDX-License-Identifier: Apache-2.0
// Readers of answers, with events that no provider sends.
#include <catch2/catch.hpp>
#include <gantry/testkit/fake_host.hpp>
#include <gantry/testkit/probe.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "anthropic_plugin.hpp"
#include "gemini_plugin.hpp"
#include "openai_plugin.hpp"

using namespace gantry;

namespace {

struct Vendor {
  std::string name;
  std::unique_ptr<llm::ChatReader> (*reader)(llm::Answer&, const llm::Endpoint&);
  std::function<std::string(int)> call;  // the event with which the n-th begins
  std::string usage;                     // an event with counts of tokens that nobody has
};

constexpr const char* kHuge = "9223372036854775807";

std::vector<Vendor> vendors() {
  const auto counts = [](std::string text) {
    for (std::size_t at = 0; (at = text.find('#')) != std::string::npos;)
      text.replace(at, 1, kHuge);
    return text;
  };
  return {
      {"chat", &openai::chat_reader,
       [](int n) {
         return R"({"choices":[{"delta":{"tool_calls":[{"index":)" + std::to_string(n) + "}]}}]}";
       },
       counts(R"({"usage":{"prompt_tokens":#,"completion_tokens":#}})")},
      {"responses", &openai::responses_reader,
       [](int n) {
         return R"({"type":"response.output_item.added","item":{"type":"function_call","id":")" +
                std::to_string(n) + R"(","name":"t"}})";
       },
       counts(R"({"type":"response.incomplete","response":{"usage":{"input_tokens":#,)"
              R"("output_tokens":#}}})")},
      {"messages", &anthropic::messages_reader,
       [](int n) {
         return R"({"type":"content_block_start","index":)" + std::to_string(n) +
                R"(,"content_block":{"type":"tool_use","id":"x","name":"t"}})";
       },
       counts(R"({"type":"message_delta","usage":{"input_tokens":#,"output_tokens":#,)"
              R"("cache_read_input_tokens":#,"cache_creation_input_tokens":#}})")},
      {"content", &gemini::content_reader,
       [](int) {
         return R"({"candidates":[{"content":{"parts":[{"functionCall":{"name":"t"}}]}}]})";
       },
       counts(R"({"usageMetadata":{"promptTokenCount":#,"candidatesTokenCount":#,)"
              R"("thoughtsTokenCount":#}})")},
  };
}

/// A reader and whoever hears what it tells.
struct Reading {
  testkit::FakeHost kit;
  llm::Endpoint endpoint;
  std::shared_ptr<llm::Answer> answer;
  std::unique_ptr<testkit::StreamProbe<LlmChat>> probe;
  std::unique_ptr<llm::ChatReader> reader;

  explicit Reading(const Vendor& vendor) {
    const auto served =
        kit.host("provider")
            .bus()
            .serve_stream<LlmChat>(
                [this](const Ref<LlmChatRequest>&, const CallInfo&,
                       Stream<LlmChunk> down) -> Result<StreamHandlers<Nothing>> {
                  answer = std::make_shared<llm::Answer>(std::move(down), "provider", "m",
                                                         [] { return std::int64_t{1}; });
                  StreamHandlers<Nothing> handlers;
                  handlers.on_writable = [this] { answer->writable(); };
                  return handlers;
                });
    REQUIRE(served.ok());
    probe = std::make_unique<testkit::StreamProbe<LlmChat>>(kit.host(), LlmChatRequest{});
    kit.pump();
    reader = vendor.reader(*answer, endpoint);
  }
  ~Reading() { answer->cancel(); }
  Reading(const Reading&) = delete;
  Reading& operator=(const Reading&) = delete;
};

}  // namespace

TEST_CASE("an answer with more tool calls than anybody does ends there") {
  const std::vector<Vendor> all = vendors();
  for (const Vendor& vendor : all) {
    INFO(vendor.name);
    const Reading reading(vendor);
    int calls = 0;
    while (!reading.reader->over() && calls < 1'000) {
      reading.reader->event({"message", vendor.call(calls++)});
    }
    CHECK(calls == 257);
    REQUIRE(reading.reader->failure());
    CHECK(reading.reader->failure()->message == "the answer has more tool calls than anybody does");
  }
}

TEST_CASE("counts of tokens that nobody has can be added") {
  const std::vector<Vendor> all = vendors();
  for (const Vendor& vendor : all) {
    INFO(vendor.name);
    Reading reading(vendor);
    reading.reader->event({"message", vendor.usage});
    reading.kit.pump();
    bool told = false;
    for (const LlmChunk& chunk : reading.probe->all()) {
      if (!chunk.usage) continue;
      told = true;
      CHECK(chunk.usage->prompt_tokens > 0);
      CHECK(chunk.usage->prompt_tokens < std::int64_t{1} << 50);
      CHECK(chunk.usage->output_tokens > 0);
      CHECK(chunk.usage->output_tokens < std::int64_t{1} << 50);
    }
    CHECK(told);
  }
}
