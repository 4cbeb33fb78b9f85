// SPDX-License-Identifier: Apache-2.0
// The answer of Chat Completions, in pieces or whole. Servers of this kind differ in what they
// leave out (index, id, finish_reason, [DONE]); what is missing is made up for where that is safe.
#include <gantry/llm/json.hpp>
#include <gantry/llm/wire.hpp>

#include <boost/describe/class.hpp>

#include <optional>
#include <string>
#include <vector>

#include "dialect.hpp"

namespace gantry::openai {
namespace {

namespace bj = boost::json;

/// A piece of an answer as nearly all are: a text. What must not be there to be one is kept as it
/// stands.
struct PlainDelta {
  std::optional<std::string> content;
  std::optional<Json> reasoning_content, reasoning, refusal, tool_calls, images;

  [[nodiscard]] bool only_text() const {
    return !reasoning_content && !reasoning && !refusal && !tool_calls && !images;
  }
};
BOOST_DESCRIBE_STRUCT(PlainDelta, (),
                      (content, reasoning_content, reasoning, refusal, tool_calls, images))

struct PlainChoice {
  std::optional<PlainDelta> delta;
  std::optional<std::string> finish_reason;
};
BOOST_DESCRIBE_STRUCT(PlainChoice, (), (delta, finish_reason))

struct PlainChunk {
  std::optional<std::string> id, model;
  std::vector<PlainChoice> choices;
  std::optional<Json> error, usage;
};
BOOST_DESCRIBE_STRUCT(PlainChunk, (), (id, model, choices, error, usage))

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
    if (event.name != "document" && take_plain(event.data)) return;
    const auto read = llm::read_json(event.data, [&](const bj::value& chunk) { take(chunk); });
    if (!read.ok())
      fail(llm::Trouble::BrokenStream, "an event is no JSON: " + read.error().message);
    if (event.name == "document" && !over()) conclude();
  }

  /// Without [DONE]: good when the model said that it has finished.
  void end() override {
    if (!finish_reason_.empty()) conclude();
  }

 private:
  /// Takes a piece that is only text, without making values of it; false: it is another one.
  bool take_plain(std::string_view text) {
    PlainChunk chunk;
    if (!codec::read_straight(codec::descriptor_of<PlainChunk>(), &chunk, text)) return false;
    if (chunk.error || chunk.usage || chunk.choices.empty()) return false;
    PlainChoice& choice = chunk.choices.front();
    if (!choice.delta || !choice.delta->only_text()) return false;
    if (chunk.id && !chunk.id->empty()) response_id_ = *chunk.id;
    if (chunk.model && !chunk.model->empty()) answer_.set_model(std::move(*chunk.model));
    if (choice.delta->content) answer_.text(*choice.delta->content);
    if (choice.finish_reason && !choice.finish_reason->empty()) {
      finish_reason_ = std::move(*choice.finish_reason);
    }
    return true;
  }

  void take(const bj::value& chunk) {
    if (llm::member(chunk, "error") != nullptr) {
      return fail(llm::stream_failure(codec::serialize(chunk), endpoint_));
    }
    if (const auto id = llm::text_of(chunk, "id"); !id.empty()) response_id_ = id;
    if (const auto model = llm::text_of(chunk, "model"); !model.empty()) {
      answer_.set_model(std::string(model));
    }
    const auto& choices = llm::array_of(chunk, "choices");
    if (!choices.empty()) {
      const bj::value& choice = choices.front();
      const auto* delta = llm::member(choice, "delta");
      if (delta == nullptr) delta = llm::member(choice, "message");
      if (delta != nullptr) take_delta(*delta);
      if (const auto reason = llm::text_of(choice, "finish_reason"); !reason.empty()) {
        finish_reason_ = reason;
      }
    }
    if (const auto* usage = llm::member(chunk, "usage")) take_usage(*usage);
  }

  void take_delta(const bj::value& delta) {
    for (const std::string_view name : {"reasoning_content", "reasoning"}) {
      if (const auto thought = llm::text_of(delta, name); !thought.empty()) {
        answer_.thinking(thought);
        break;  // servers in between send both
      }
    }
    answer_.text(llm::text_of(delta, "content"));
    for (const bj::value& part : llm::array_of(delta, "content")) {  // Mistral's thinking models
      answer_.text(llm::text_of(part, "text"));
      for (const bj::value& thought : llm::array_of(part, "thinking")) {
        answer_.thinking(llm::text_of(thought, "text"));
      }
    }
    if (const auto refusal = llm::text_of(delta, "refusal"); !refusal.empty()) {
      refused_ = true;
      answer_.text(refusal);
    }
    for (const bj::value& call : llm::array_of(delta, "tool_calls")) take_call(call);
    for (const bj::value& image : llm::array_of(delta, "images")) take_image(image);
  }

  /// The call that a piece belongs to. Its index tells; some servers give every call index 0, or
  /// none, and then a new id is a new call.
  Call& call_of(const bj::value& piece) {
    const auto id = llm::text_of(piece, "id");
    const auto index = llm::number_of(piece, "index");
    if (index) {
      for (auto call = calls_.rbegin(); call != calls_.rend(); ++call) {
        const bool other = !id.empty() && !call->id.empty() && call->id != id;
        if (call->index == *index && !other) return *call;
      }
    } else {
      for (Call& call : calls_) {
        if (!id.empty() && call.id == id) return call;
      }
      if (id.empty() && !calls_.empty() &&
          (llm::member(piece, "function") == nullptr ||
           llm::text_of(*llm::member(piece, "function"), "name").empty())) {
        return calls_.back();
      }
    }
    Call call;
    call.index = index.value_or(static_cast<std::int64_t>(calls_.size()));
    return calls_.emplace_back(std::move(call));
  }

  void take_call(const bj::value& piece) {
    Call& call = call_of(piece);
    if (const auto id = llm::text_of(piece, "id"); !id.empty()) call.id = id;
    const auto* function = llm::member(piece, "function");
    if (function == nullptr) return;
    if (const auto name = llm::text_of(*function, "name"); !name.empty() && !call.begun) {
      call.name = name;
    }
    if (call.id.empty()) call.id = llm::make_call_id(response_id_, calls_.size() - 1);
    if (!call.begun && !call.name.empty()) {
      call.begun = true;
      answer_.tool_begin(call.id, call.name);
    }
    std::string arguments(llm::text_of(*function, "arguments"));
    if (const auto* value = llm::member(*function, "arguments"); value != nullptr) {
      if (value->is_object()) arguments = codec::serialize(*value);  // not text, as it should be
    }
    call.arguments += arguments;
    answer_.tool_delta(call.id, arguments);
  }

  void take_image(const bj::value& image) {  // OpenRouter's image models
    const auto* url = llm::at(image, {"image_url"});
    const std::string_view text = url == nullptr ? "" : llm::text_of(*url, "url");
    const std::size_t comma = text.find(";base64,");
    if (!text.starts_with("data:") || comma == std::string_view::npos) return;
    LlmImage made = llm::image_of(text.substr(comma + 8), text.substr(5, comma - 5));
    if (!made.data.empty()) answer_.image(std::move(made));
  }

  void take_usage(const bj::value& usage) {
    LlmUsage counted;
    counted.prompt_tokens = llm::number_of(usage, "prompt_tokens").value_or(0);
    counted.output_tokens = llm::number_of(usage, "completion_tokens").value_or(0);
    if (const auto* details = llm::member(usage, "prompt_tokens_details")) {
      counted.cached_tokens = llm::number_of(*details, "cached_tokens");
    }
    if (const auto* details = llm::member(usage, "completion_tokens_details")) {
      counted.thinking_tokens = llm::number_of(*details, "reasoning_tokens");
    }
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

  std::vector<Call> calls_;
  std::string finish_reason_;
  bool refused_ = false;
};

}  // namespace

std::unique_ptr<llm::ChatReader> chat_reader(llm::Answer& answer, const llm::Endpoint& endpoint) {
  return std::make_unique<ChatCompletionsReader>(answer, endpoint);
}

}  // namespace gantry::openai
