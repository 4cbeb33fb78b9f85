// SPDX-License-Identifier: Apache-2.0
// The answer of Responses: typed events about the items of the output.
#include <gantry/llm/json.hpp>
#include <gantry/llm/json_node.hpp>
#include <gantry/llm/wire.hpp>

#include <map>
#include <utility>

#include "dialect.hpp"

namespace gantry::openai {
namespace {

using llm::JsonNode;

class ResponsesReader final : public llm::ChatReader {
 public:
  using ChatReader::ChatReader;

  void event(const llm::SseEvent& event) override {
    const auto read = json_.read(event.data, [&](JsonNode value) {
      if (event.name == "document") return take_document(value);
      const std::string_view type = llm::text_of(value, "type");
      for (const Row& row : kRows) {
        if (row.type == type) return (this->*row.take)(value);
      }
    });
    if (!read.ok() && event.data != "[DONE]") {
      fail(llm::Trouble::BrokenStream, "an event is no JSON: " + read.error().message);
    }
  }

 private:
  using Take = void (ResponsesReader::*)(JsonNode);
  struct Row {
    std::string_view type;
    Take take;
  };
  static const std::array<Row, 17> kRows;

  struct Call {
    std::string id, name, arguments;
  };

  void take_response(JsonNode event) { note_id(llm::member(event, "response")); }
  void note_id(JsonNode response) {
    if (const auto id = llm::text_of(response, "id"); !id.empty()) response_id_ = id;
  }

  void take_item_added(JsonNode event) {
    const JsonNode item = llm::member(event, "item");
    if (!item) return;
    const std::string id(llm::text_of(item, "id"));
    const std::string_view type = llm::text_of(item, "type");
    if (type == "function_call") {
      if (!room_for_call()) return;
      Call& call = calls_[id];
      call.id = llm::text_of(item, "call_id");
      call.name = llm::text_of(item, "name");
      if (call.id.empty()) call.id = llm::make_call_id(response_id_, calls_.size() - 1);
      answer_.tool_begin(call.id, call.name);
    } else if (type == "web_search_call") {
      tell_search(id, "started", item);
    }
  }

  void take_text(JsonNode event) { answer_.text(llm::text_of(event, "delta")); }
  void take_refusal(JsonNode event) {
    refused_ = true;
    take_text(event);
  }
  void take_thought(JsonNode event) { answer_.thinking(llm::text_of(event, "delta")); }
  /// A further part of a summary is a paragraph of its own.
  void take_thought_part(JsonNode event) {
    if (llm::number_of(event, "summary_index").value_or(0) > 0) answer_.thinking("\n\n");
  }

  void take_arguments(JsonNode event) {
    const auto found = calls_.find(std::string(llm::text_of(event, "item_id")));
    if (found == calls_.end()) return;
    const std::string_view piece = llm::text_of(event, "delta");
    found->second.arguments += piece;
    answer_.tool_delta(found->second.id, piece);
  }

  void take_searching(JsonNode event) {
    tell_search(std::string(llm::text_of(event, "item_id")), "searching", {});
  }

  void take_item_done(JsonNode event) {
    if (const JsonNode item = llm::member(event, "item")) take_item(item);
  }

  void take_item(JsonNode item) {
    const std::string id(llm::text_of(item, "id"));
    const std::string_view type = llm::text_of(item, "type");
    if (type == "function_call") {
      auto begun = calls_.extract(id);
      if (begun.empty() && !room_for_call()) return;
      Call call = begun.empty() ? Call{} : std::move(begun.mapped());
      if (const auto given = llm::text_of(item, "call_id"); !given.empty()) call.id = given;
      if (const auto name = llm::text_of(item, "name"); !name.empty()) call.name = name;
      if (const auto all = llm::text_of(item, "arguments"); !all.empty()) call.arguments = all;
      called_ = true;
      answer_.tool_done(call.id, call.name, call.arguments, {},
                        llm::text_of(item, "status") == "incomplete");
    } else if (type == "reasoning") {
      const bool sealed = !llm::text_of(item, "encrypted_content").empty();
      answer_.thinking_done(sealed ? seal(item) : std::string());
    } else if (type == "image_generation_call") {
      const auto format = llm::text_of(item, "output_format");
      LlmImage image = llm::image_of(llm::text_of(item, "result"),
                                     "image/" + std::string(format.empty() ? "png" : format));
      if (!image.data.empty()) answer_.image(std::move(image));
    } else if (type == "web_search_call") {
      const bool failed = llm::text_of(item, "status") == "failed";
      tell_search(id, failed ? "failed" : "completed", item);
    }
  }

  /// What goes back of a thought: the item without its status, which the provider refuses.
  static std::string seal(JsonNode item) {
    boost::json::object back = llm::parse_or_null(item.json()).as_object();
    back.erase("status");
    return codec::serialize(back);
  }

  void tell_search(const std::string& id, std::string_view status, JsonNode item) {
    LlmSearchStep step;
    step.id = id;
    step.status = status;
    step.action = "search";
    if (const JsonNode action = llm::member(item, "action")) {
      if (const auto type = llm::text_of(action, "type"); !type.empty()) step.action = type;
      if (step.action == "find") step.action = "find_in_page";
      step.query = llm::text_of(action, "query");
      step.url = llm::text_of(action, "url");
      step.pattern = llm::text_of(action, "pattern");
      for (const JsonNode source : llm::array_of(action, "sources")) {
        step.hits.push_back({std::string(llm::text_of(source, "url")),
                             std::string(llm::text_of(source, "title")),
                             {}});
      }
    }
    answer_.search(std::move(step));
  }

  void take_completed(JsonNode event) { complete(llm::member(event, "response")); }
  void complete(JsonNode response) {
    note_id(response);
    take_usage(response);
    if (called_) return finish(LlmFinishReason::ToolCalls);
    finish(refused_ ? LlmFinishReason::Refusal : LlmFinishReason::Stop);
  }

  void take_incomplete(JsonNode event) { cut_off(llm::member(event, "response")); }
  void cut_off(JsonNode response) {
    note_id(response);
    take_usage(response);
    for (const auto& [item, call] : std::exchange(calls_, {})) {
      answer_.tool_done(call.id, call.name, call.arguments, {}, true);
    }
    const JsonNode details = llm::member(response, "incomplete_details");
    const bool filtered = llm::text_of(details, "reason") == "content_filter";
    finish(filtered ? LlmFinishReason::ContentFilter : LlmFinishReason::Length);
  }

  void take_failed(JsonNode event) {
    const JsonNode response = llm::member(event, "response");
    fail(llm::stream_failure((response ? response : event).json(), endpoint_));
  }

  void take_usage(JsonNode response) {
    const JsonNode usage = llm::member(response, "usage");
    if (!usage) return;
    LlmUsage counted;
    counted.prompt_tokens = llm::count_of(usage, "input_tokens").value_or(0);
    counted.output_tokens = llm::count_of(usage, "output_tokens").value_or(0);
    counted.cached_tokens =
        llm::count_of(llm::member(usage, "input_tokens_details"), "cached_tokens");
    counted.thinking_tokens =
        llm::count_of(llm::member(usage, "output_tokens_details"), "reasoning_tokens");
    answer_.usage(counted);
  }

  /// A server that does not stream sends the finished response itself.
  void take_document(JsonNode response) {
    if (llm::member(response, "error")) {
      return fail(llm::stream_failure(response.json(), endpoint_));
    }
    note_id(response);
    for (const JsonNode item : llm::array_of(response, "output")) {
      for (const JsonNode part : llm::array_of(item, "content")) {
        answer_.text(llm::text_of(part, "text"));
      }
      for (const JsonNode part : llm::array_of(item, "summary")) {
        answer_.thinking(llm::text_of(part, "text"));
      }
      take_item(item);
    }
    if (llm::text_of(response, "status") == "incomplete") return cut_off(response);
    complete(response);
  }

  llm::JsonReader json_;
  std::map<std::string, Call> calls_;  // by item, until they are done
  bool called_ = false;
  bool refused_ = false;
};

const std::array<ResponsesReader::Row, 17> ResponsesReader::kRows{
    {{"response.created", &ResponsesReader::take_response},
     {"response.output_item.added", &ResponsesReader::take_item_added},
     {"response.output_item.done", &ResponsesReader::take_item_done},
     {"response.output_text.delta", &ResponsesReader::take_text},
     {"response.refusal.delta", &ResponsesReader::take_refusal},
     {"response.reasoning_summary_text.delta", &ResponsesReader::take_thought},
     {"response.reasoning_text.delta", &ResponsesReader::take_thought},
     {"response.reasoning_summary_part.added", &ResponsesReader::take_thought_part},
     {"response.function_call_arguments.delta", &ResponsesReader::take_arguments},
     {"response.web_search_call.searching", &ResponsesReader::take_searching},
     {"response.completed", &ResponsesReader::take_completed},
     {"response.done", &ResponsesReader::take_completed},
     {"response.incomplete", &ResponsesReader::take_incomplete},
     {"response.failed", &ResponsesReader::take_failed},
     {"response.error", &ResponsesReader::take_failed},
     {"error", &ResponsesReader::take_failed},
     {"response.in_progress", &ResponsesReader::take_response}}};

}  // namespace

std::unique_ptr<llm::ChatReader> responses_reader(llm::Answer& answer,
                                                  const llm::Endpoint& endpoint) {
  return std::make_unique<ResponsesReader>(answer, endpoint);
}

}  // namespace gantry::openai
