// SPDX-License-Identifier: Apache-2.0
// The answer of generateContent: whole parts, and the reason to end with the last of them.
#include <gantry/llm/json_node.hpp>
#include <gantry/llm/wire.hpp>

#include <array>

#include "dialect.hpp"

namespace gantry::gemini {
namespace {

using llm::JsonNode;

class ContentReader final : public llm::ChatReader {
 public:
  using ChatReader::ChatReader;

  void event(const llm::SseEvent& event) override {
    const auto read = json_.read(event.data, [&](JsonNode value) {
      if (!value.is_array()) return take(value);
      for (const JsonNode response : value.items()) take(response);  // it does not know alt=sse
    });
    if (!read.ok())
      fail(llm::Trouble::BrokenStream, "an event is no JSON: " + read.error().message);
  }

  void end() override {
    if (finish_reason_.empty()) return;
    answer_.thinking_done({});
    conclude();
  }

 private:
  void take(JsonNode response) {
    if (llm::member(response, "error")) {
      return fail(llm::stream_failure(response.json(), endpoint_));
    }
    if (const auto id = llm::text_of(response, "responseId"); !id.empty()) response_id_ = id;
    if (!llm::text_of(llm::member(response, "promptFeedback"), "blockReason").empty()) {
      finish_reason_ = "SAFETY";
    }
    take_candidate(llm::array_of(response, "candidates").front());
    if (const JsonNode usage = llm::member(response, "usageMetadata")) take_usage(usage);
  }

  void take_candidate(JsonNode candidate) {
    for (const JsonNode part : llm::array_of(llm::member(candidate, "content"), "parts")) {
      take_part(part);
    }
    take_search(llm::member(candidate, "groundingMetadata"));
    if (const auto reason = llm::text_of(candidate, "finishReason"); !reason.empty()) {
      finish_reason_ = reason;
    }
  }

  void take_part(JsonNode part) {
    const std::string signature(llm::text_of(part, "thoughtSignature"));
    if (const JsonNode call = llm::member(part, "functionCall")) return take_call(call, signature);
    if (const JsonNode data = llm::member(part, "inlineData")) {
      LlmImage image = llm::image_of(llm::text_of(data, "data"), llm::text_of(data, "mimeType"));
      if (!image.data.empty()) answer_.image(std::move(image));
      return;
    }
    const std::string_view text = llm::text_of(part, "text");
    if (llm::member(part, "thought").is_true()) return answer_.thinking(text);
    answer_.text(text);
    answer_.sign_text(signature);
  }

  void take_call(JsonNode call, const std::string& signature) {
    if (over() || !room_for_call()) return;
    std::string id(llm::text_of(call, "id"));
    if (id.empty()) id = llm::make_call_id(response_id_, calls_);
    ++calls_;
    const std::string name(llm::text_of(call, "name"));
    const JsonNode arguments = llm::member(call, "args");
    const std::string text = arguments ? arguments.json() : "{}";
    answer_.tool_begin(id, name);
    answer_.tool_delta(id, text);
    answer_.tool_done(id, name, text, signature);
  }

  void take_search(JsonNode grounding) {
    LlmSearchStep step;
    step.id = response_id_;
    step.action = "search";
    step.status = "completed";
    for (const JsonNode query : llm::array_of(grounding, "webSearchQueries")) {
      if (!query.is_text()) continue;
      step.query += step.query.empty() ? "" : "; ";
      step.query += query.text();
    }
    for (const JsonNode chunk : llm::array_of(grounding, "groundingChunks")) {
      const JsonNode web = llm::member(chunk, "web");
      if (!web) continue;
      step.hits.push_back(
          {std::string(llm::text_of(web, "uri")), std::string(llm::text_of(web, "title")), {}});
    }
    if (!step.query.empty() || !step.hits.empty()) answer_.search(std::move(step));
  }

  void take_usage(JsonNode usage) {
    LlmUsage counted;
    counted.prompt_tokens = llm::count_of(usage, "promptTokenCount").value_or(0);
    counted.thinking_tokens = llm::count_of(usage, "thoughtsTokenCount");
    counted.output_tokens = llm::count_of(usage, "candidatesTokenCount").value_or(0) +
                            counted.thinking_tokens.value_or(0);
    counted.cached_tokens = llm::count_of(usage, "cachedContentTokenCount");
    answer_.usage(counted);
  }

  void conclude() {
    constexpr std::array<std::string_view, 8> kFiltered{
        "SAFETY", "RECITATION",   "BLOCKLIST", "PROHIBITED_CONTENT",
        "SPII",   "IMAGE_SAFETY", "LANGUAGE",  "IMAGE_RECITATION"};
    if (finish_reason_ == "MAX_TOKENS") return finish(LlmFinishReason::Length);
    for (const std::string_view reason : kFiltered) {
      if (finish_reason_ == reason) return finish(LlmFinishReason::ContentFilter);
    }
    if (finish_reason_ != "STOP" && calls_ == 0) {  // MALFORMED_FUNCTION_CALL, OTHER, …
      return fail(llm::Trouble::BrokenStream,
                  endpoint_.name + " ended its answer with " + finish_reason_);
    }
    finish(calls_ > 0 ? LlmFinishReason::ToolCalls : LlmFinishReason::Stop);
  }

  llm::JsonReader json_;
  std::string finish_reason_;
  std::size_t calls_ = 0;
};

}  // namespace

std::unique_ptr<llm::ChatReader> content_reader(llm::Answer& answer,
                                                const llm::Endpoint& endpoint) {
  return std::make_unique<ContentReader>(answer, endpoint);
}

}  // namespace gantry::gemini
