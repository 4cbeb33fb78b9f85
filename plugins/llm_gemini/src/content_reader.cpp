// SPDX-License-Identifier: Apache-2.0
// The answer of generateContent: whole parts, and the reason to end with the last of them.
#include <gantry/llm/json.hpp>
#include <gantry/llm/wire.hpp>

#include <array>

#include "dialect.hpp"

namespace gantry::gemini {
namespace {

namespace bj = boost::json;

class ContentReader final : public llm::ChatReader {
 public:
  using ChatReader::ChatReader;

  void event(const llm::SseEvent& event) override {
    const auto read = llm::read_json(event.data, [&](const bj::value& value) {
      if (const auto* list = value.if_array()) {  // a server that does not know alt=sse
        for (const bj::value& response : *list) take(response);
      } else {
        take(value);
      }
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
  void take(const bj::value& response) {
    if (llm::member(response, "error") != nullptr) {
      return fail(llm::stream_failure(codec::serialize(response), endpoint_));
    }
    if (const auto id = llm::text_of(response, "responseId"); !id.empty()) response_id_ = id;
    if (const auto* feedback = llm::member(response, "promptFeedback")) {
      if (!llm::text_of(*feedback, "blockReason").empty()) finish_reason_ = "SAFETY";
    }
    const auto& candidates = llm::array_of(response, "candidates");
    if (!candidates.empty()) take_candidate(candidates.front());
    if (const auto* usage = llm::member(response, "usageMetadata")) take_usage(*usage);
  }

  void take_candidate(const bj::value& candidate) {
    if (const auto* content = llm::member(candidate, "content")) {
      for (const bj::value& part : llm::array_of(*content, "parts")) take_part(part);
    }
    if (const auto* grounding = llm::member(candidate, "groundingMetadata")) {
      take_search(*grounding);
    }
    if (const auto reason = llm::text_of(candidate, "finishReason"); !reason.empty()) {
      finish_reason_ = reason;
    }
  }

  void take_part(const bj::value& part) {
    const std::string signature(llm::text_of(part, "thoughtSignature"));
    const auto* thought = llm::member(part, "thought");
    if (const auto* call = llm::member(part, "functionCall")) {
      return take_call(*call, signature);
    }
    if (const auto* data = llm::member(part, "inlineData")) {
      LlmImage image = llm::image_of(llm::text_of(*data, "data"), llm::text_of(*data, "mimeType"));
      if (!image.data.empty()) answer_.image(std::move(image));
      return;
    }
    const std::string_view text = llm::text_of(part, "text");
    if (thought != nullptr && thought->is_bool() && thought->get_bool()) {
      return answer_.thinking(text);
    }
    answer_.text(text);
    answer_.sign_text(signature);
  }

  void take_call(const bj::value& call, const std::string& signature) {
    std::string id(llm::text_of(call, "id"));
    if (id.empty()) id = llm::make_call_id(response_id_, calls_);
    ++calls_;
    const std::string name(llm::text_of(call, "name"));
    const auto* arguments = llm::member(call, "args");
    const std::string text = arguments == nullptr ? "{}" : codec::serialize(*arguments);
    answer_.tool_begin(id, name);
    answer_.tool_delta(id, text);
    answer_.tool_done(id, name, text, signature);
  }

  void take_search(const bj::value& grounding) {
    LlmSearchStep step;
    step.id = response_id_;
    step.action = "search";
    step.status = "completed";
    for (const bj::value& query : llm::array_of(grounding, "webSearchQueries")) {
      if (!query.is_string()) continue;
      step.query += step.query.empty() ? "" : "; ";
      step.query.append(query.get_string().data(), query.get_string().size());
    }
    for (const bj::value& chunk : llm::array_of(grounding, "groundingChunks")) {
      const auto* web = llm::member(chunk, "web");
      if (web == nullptr) continue;
      step.hits.push_back(
          {std::string(llm::text_of(*web, "uri")), std::string(llm::text_of(*web, "title")), {}});
    }
    if (!step.query.empty() || !step.hits.empty()) answer_.search(std::move(step));
  }

  void take_usage(const bj::value& usage) {
    LlmUsage counted;
    counted.prompt_tokens = llm::number_of(usage, "promptTokenCount").value_or(0);
    counted.thinking_tokens = llm::number_of(usage, "thoughtsTokenCount");
    counted.output_tokens = llm::number_of(usage, "candidatesTokenCount").value_or(0) +
                            counted.thinking_tokens.value_or(0);
    counted.cached_tokens = llm::number_of(usage, "cachedContentTokenCount");
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

  std::string finish_reason_;
  std::size_t calls_ = 0;
};

}  // namespace

std::unique_ptr<llm::ChatReader> content_reader(llm::Answer& answer,
                                                const llm::Endpoint& endpoint) {
  return std::make_unique<ContentReader>(answer, endpoint);
}

}  // namespace gantry::gemini
