// SPDX-License-Identifier: Apache-2.0
// The answer of Responses: typed events about the items of the output.
#include <gantry/llm/json.hpp>
#include <gantry/llm/wire.hpp>

#include <map>
#include <utility>

#include "dialect.hpp"

namespace gantry::openai {
namespace {

namespace bj = boost::json;

class ResponsesReader final : public llm::ChatReader {
 public:
  using ChatReader::ChatReader;

  void event(const llm::SseEvent& event) override {
    const auto read = llm::read_json(event.data, [&](const bj::value& value) {
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
  using Take = void (ResponsesReader::*)(const bj::value&);
  struct Row {
    std::string_view type;
    Take take;
  };
  static const std::array<Row, 17> kRows;

  struct Call {
    std::string id, name, arguments;
  };

  void take_response(const bj::value& event) {
    const auto* response = llm::member(event, "response");
    if (response == nullptr) return;
    if (const auto id = llm::text_of(*response, "id"); !id.empty()) response_id_ = id;
  }

  void take_item_added(const bj::value& event) {
    const auto* item = llm::member(event, "item");
    if (item == nullptr) return;
    const std::string id(llm::text_of(*item, "id"));
    const std::string_view type = llm::text_of(*item, "type");
    if (type == "function_call") {
      Call& call = calls_[id];
      call.id = llm::text_of(*item, "call_id");
      call.name = llm::text_of(*item, "name");
      if (call.id.empty()) call.id = llm::make_call_id(response_id_, calls_.size() - 1);
      answer_.tool_begin(call.id, call.name);
    } else if (type == "web_search_call") {
      tell_search(id, "started", *item);
    }
  }

  void take_text(const bj::value& event) { answer_.text(llm::text_of(event, "delta")); }
  void take_refusal(const bj::value& event) {
    refused_ = true;
    take_text(event);
  }
  void take_thought(const bj::value& event) { answer_.thinking(llm::text_of(event, "delta")); }
  /// A further part of a summary is a paragraph of its own.
  void take_thought_part(const bj::value& event) {
    if (llm::number_of(event, "summary_index").value_or(0) > 0) answer_.thinking("\n\n");
  }

  void take_arguments(const bj::value& event) {
    const auto found = calls_.find(std::string(llm::text_of(event, "item_id")));
    if (found == calls_.end()) return;
    const std::string_view piece = llm::text_of(event, "delta");
    found->second.arguments += piece;
    answer_.tool_delta(found->second.id, piece);
  }

  void take_searching(const bj::value& event) {
    tell_search(std::string(llm::text_of(event, "item_id")), "searching", bj::value());
  }

  void take_item_done(const bj::value& event) {
    const auto* item = llm::member(event, "item");
    if (item != nullptr) take_item(*item);
  }

  void take_item(const bj::value& item) {
    const std::string id(llm::text_of(item, "id"));
    const std::string_view type = llm::text_of(item, "type");
    if (type == "function_call") {
      Call call = std::exchange(calls_[id], {});
      calls_.erase(id);
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
  static std::string seal(const bj::value& item) {
    bj::object back = item.as_object();
    back.erase("status");
    return codec::serialize(back);
  }

  void tell_search(const std::string& id, std::string_view status, const bj::value& item) {
    LlmSearchStep step;
    step.id = id;
    step.status = status;
    step.action = "search";
    if (const auto* action = llm::member(item, "action")) {
      if (const auto type = llm::text_of(*action, "type"); !type.empty()) step.action = type;
      if (step.action == "find") step.action = "find_in_page";
      step.query = llm::text_of(*action, "query");
      step.url = llm::text_of(*action, "url");
      step.pattern = llm::text_of(*action, "pattern");
      for (const bj::value& source : llm::array_of(*action, "sources")) {
        step.hits.push_back({std::string(llm::text_of(source, "url")),
                             std::string(llm::text_of(source, "title")),
                             {}});
      }
    }
    answer_.search(std::move(step));
  }

  void take_completed(const bj::value& event) {
    take_response(event);
    take_usage(event);
    if (called_) return finish(LlmFinishReason::ToolCalls);
    finish(refused_ ? LlmFinishReason::Refusal : LlmFinishReason::Stop);
  }

  void take_incomplete(const bj::value& event) {
    take_response(event);
    take_usage(event);
    for (const auto& [item, call] : std::exchange(calls_, {})) {
      answer_.tool_done(call.id, call.name, call.arguments, {}, true);
    }
    const auto* details = llm::at(event, {"response", "incomplete_details"});
    const bool filtered =
        details != nullptr && llm::text_of(*details, "reason") == "content_filter";
    finish(filtered ? LlmFinishReason::ContentFilter : LlmFinishReason::Length);
  }

  void take_failed(const bj::value& event) {
    const auto* response = llm::member(event, "response");
    fail(llm::stream_failure(codec::serialize(response != nullptr ? *response : event), endpoint_));
  }

  void take_usage(const bj::value& event) {
    const auto* usage = llm::at(event, {"response", "usage"});
    if (usage == nullptr) return;
    LlmUsage counted;
    counted.prompt_tokens = llm::number_of(*usage, "input_tokens").value_or(0);
    counted.output_tokens = llm::number_of(*usage, "output_tokens").value_or(0);
    if (const auto* details = llm::member(*usage, "input_tokens_details")) {
      counted.cached_tokens = llm::number_of(*details, "cached_tokens");
    }
    if (const auto* details = llm::member(*usage, "output_tokens_details")) {
      counted.thinking_tokens = llm::number_of(*details, "reasoning_tokens");
    }
    answer_.usage(counted);
  }

  /// A server that does not stream sends the finished response itself.
  void take_document(const bj::value& response) {
    if (llm::member(response, "error") != nullptr) {
      return fail(llm::stream_failure(codec::serialize(response), endpoint_));
    }
    const bj::value event(bj::object{{"response", response}});
    take_response(event);
    for (const bj::value& item : llm::array_of(response, "output")) {
      for (const bj::value& part : llm::array_of(item, "content")) {
        answer_.text(llm::text_of(part, "text"));
      }
      for (const bj::value& part : llm::array_of(item, "summary")) {
        answer_.thinking(llm::text_of(part, "text"));
      }
      take_item(item);
    }
    if (llm::text_of(response, "status") == "incomplete") return take_incomplete(event);
    take_completed(event);
  }

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
