// SPDX-License-Identifier: Apache-2.0
// The answer of Chat Completions, in pieces or whole. Servers of this kind differ in what they
// leave out (index, id, finish_reason, [DONE]); what is missing is made up for where that is safe.
#include <gantry/llm/json_node.hpp>
#include <gantry/llm/wire.hpp>

#include <string>
#include <vector>

#include "dialect.hpp"

namespace gantry::openai {
namespace {

using llm::JsonNode;

struct Call {
  std::int64_t index = 0;
  std::string id, name, arguments;
  bool begun = false;
};

class ChatCompletionsReader final : public llm::ChatReader {
 public:
  using ChatReader::ChatReader;

  void event(const llm::SseEvent& event) override {
    if (event.data == "[DONE]") return conclude();
    const auto read = json_.read(event.data, [&](JsonNode chunk) { take(chunk); });
    if (!read.ok())
      fail(llm::Trouble::BrokenStream, "an event is no JSON: " + read.error().message);
    if (event.name == "document" && !over()) conclude();
  }

  /// Without [DONE]: good when the model said that it has finished.
  void end() override {
    if (!finish_reason_.empty()) conclude();
  }

 private:
  void take(JsonNode chunk) {
    if (llm::member(chunk, "error")) {
      return fail(llm::stream_failure(chunk.json(), endpoint_));
    }
    if (const auto id = llm::text_of(chunk, "id"); !id.empty()) response_id_ = id;
    if (const auto model = llm::text_of(chunk, "model"); !model.empty()) {
      answer_.set_model(std::string(model));
    }
    const JsonNode choice = llm::array_of(chunk, "choices").front();
    const JsonNode delta = llm::member(choice, "delta");
    take_delta(delta ? delta : llm::member(choice, "message"));
    if (const auto reason = llm::text_of(choice, "finish_reason"); !reason.empty()) {
      finish_reason_ = reason;
    }
    if (const JsonNode usage = llm::member(chunk, "usage")) take_usage(usage);
  }

  void take_delta(JsonNode delta) {
    for (const std::string_view name : {"reasoning_content", "reasoning"}) {
      if (const auto thought = llm::text_of(delta, name); !thought.empty()) {
        answer_.thinking(thought);
        break;  // servers in between send both
      }
    }
    answer_.text(llm::text_of(delta, "content"));
    for (const JsonNode part : llm::array_of(delta, "content")) {  // Mistral's thinking models
      answer_.text(llm::text_of(part, "text"));
      for (const JsonNode thought : llm::array_of(part, "thinking")) {
        answer_.thinking(llm::text_of(thought, "text"));
      }
    }
    if (const auto refusal = llm::text_of(delta, "refusal"); !refusal.empty()) {
      refused_ = true;
      answer_.text(refusal);
    }
    for (const JsonNode call : llm::array_of(delta, "tool_calls")) take_call(call);
    for (const JsonNode image : llm::array_of(delta, "images")) take_image(image);
  }

  /// The call that a piece belongs to. Its index tells; some servers give every call index 0, or
  /// none, and then a new id is a new call. nullptr: there are too many.
  Call* call_of(JsonNode piece) {
    const auto id = llm::text_of(piece, "id");
    const auto index = llm::number_of(piece, "index");
    if (index) {
      for (auto call = calls_.rbegin(); call != calls_.rend(); ++call) {
        const bool other = !id.empty() && !call->id.empty() && call->id != id;
        if (call->index == *index && !other) return &*call;
      }
    } else {
      for (Call& call : calls_) {
        if (!id.empty() && call.id == id) return &call;
      }
      if (id.empty() && !calls_.empty() &&
          llm::text_of(llm::member(piece, "function"), "name").empty()) {
        return &calls_.back();
      }
    }
    if (!room_for_call()) return nullptr;
    Call& call = calls_.emplace_back();
    call.index = index.value_or(static_cast<std::int64_t>(calls_.size() - 1));
    return &call;
  }

  void take_call(JsonNode piece) {
    Call* const found = over() ? nullptr : call_of(piece);
    if (found == nullptr) return;
    Call& call = *found;
    if (const auto id = llm::text_of(piece, "id"); !id.empty()) call.id = id;
    const JsonNode function = llm::member(piece, "function");
    if (!function) return;
    if (const auto name = llm::text_of(function, "name"); !name.empty() && !call.begun) {
      call.name = name;
    }
    if (call.id.empty()) call.id = llm::make_call_id(response_id_, calls_.size() - 1);
    if (!call.begun && !call.name.empty()) {
      call.begun = true;
      answer_.tool_begin(call.id, call.name);
    }
    const JsonNode given = llm::member(function, "arguments");
    std::string arguments(given.text());
    if (given.is_object()) arguments = given.json();  // not text, as it should be
    call.arguments += arguments;
    answer_.tool_delta(call.id, arguments);
  }

  void take_image(JsonNode image) {  // OpenRouter's image models
    const std::string_view text = llm::text_of(llm::member(image, "image_url"), "url");
    const std::size_t comma = text.find(";base64,");
    if (!text.starts_with("data:") || comma == std::string_view::npos) return;
    LlmImage made = llm::image_of(text.substr(comma + 8), text.substr(5, comma - 5));
    if (!made.data.empty()) answer_.image(std::move(made));
  }

  void take_usage(JsonNode usage) {
    LlmUsage counted;
    counted.prompt_tokens = llm::count_of(usage, "prompt_tokens").value_or(0);
    counted.output_tokens = llm::count_of(usage, "completion_tokens").value_or(0);
    counted.cached_tokens =
        llm::count_of(llm::member(usage, "prompt_tokens_details"), "cached_tokens");
    counted.thinking_tokens =
        llm::count_of(llm::member(usage, "completion_tokens_details"), "reasoning_tokens");
    answer_.usage(counted);
  }

  void conclude() {
    if (over()) return;
    const bool cut = finish_reason_ == "length";
    answer_.thinking_done({});
    for (std::size_t i = 0; i < calls_.size(); ++i) {
      answer_.tool_done(calls_[i].id, calls_[i].name, calls_[i].arguments, {},
                        cut && i + 1 == calls_.size());
    }
    if (cut) return finish(LlmFinishReason::Length);
    if (finish_reason_ == "content_filter") return finish(LlmFinishReason::ContentFilter);
    if (finish_reason_ == "error") {
      return fail(llm::Trouble::BrokenStream, endpoint_.name + " ended its answer with an error");
    }
    if (!calls_.empty()) return finish(LlmFinishReason::ToolCalls);
    finish(refused_ ? LlmFinishReason::Refusal : LlmFinishReason::Stop);
  }

  llm::JsonReader json_;
  std::vector<Call> calls_;
  std::string finish_reason_;
  bool refused_ = false;
};

}  // namespace

std::unique_ptr<llm::ChatReader> chat_reader(llm::Answer& answer, const llm::Endpoint& endpoint) {
  return std::make_unique<ChatCompletionsReader>(answer, endpoint);
}

}  // namespace gantry::openai
