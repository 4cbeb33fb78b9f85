// SPDX-License-Identifier: Apache-2.0
// The request of Chat Completions.
#include <gantry/llm/json.hpp>
#include <gantry/llm/wire.hpp>

#include "dialect.hpp"

namespace gantry::openai {
namespace {

namespace bj = boost::json;
using llm::jsv;

constexpr std::array<std::string_view, 3> kDetails{"auto", "low", "high"};

bj::object image_part(const LlmImage& image) {
  bj::object url{{"url", llm::data_url(image.media_type, image.data.text())}};
  if (image.detail != LlmDetail::Auto) {
    url["detail"] = jsv(kDetails.at(static_cast<std::size_t>(image.detail)));
  }
  return {{"type", "image_url"}, {"image_url", std::move(url)}};
}

bj::object text_part(std::string_view text) { return {{"type", "text"}, {"text", jsv(text)}}; }

/// One text when there is nothing else: the form that every server takes.
bj::value content_of(const LlmMessage& message) {
  bj::array parts;
  bool only_text = true;
  std::string text;
  for (const LlmBlock& block : message.blocks) {
    if (block.kind == LlmBlockKind::Text) {
      text += (text.empty() ? "" : "\n") + block.text;
      parts.push_back(text_part(block.text));
    } else if (block.image) {
      only_text = false;
      parts.push_back(image_part(*block.image));
    }
  }
  if (only_text) return bj::value(text);
  return parts;
}

bj::object assistant_message(const LlmMessage& message) {
  std::string text;
  bj::array calls;
  for (const LlmBlock& block : message.blocks) {
    if (block.kind == LlmBlockKind::Text) text += block.text;
    if (block.image) text += llm::omitted_image(*block.image);
    if (!block.tool_call) continue;
    calls.push_back(
        {{"id", block.tool_call->id},
         {"type", "function"},
         {"function",
          {{"name", block.tool_call->name}, {"arguments", block.tool_call->arguments.text}}}});
  }
  bj::object out{{"role", "assistant"}};
  if (text.empty() && !calls.empty()) {
    out["content"] = nullptr;
  } else {
    out["content"] = text;
  }
  if (!calls.empty()) out["tool_calls"] = std::move(calls);
  return out;
}

/// Results are texts; their images follow in a message of the user, after all results.
class Messages {
 public:
  void add(const LlmMessage& message) {
    if (message.role != LlmRole::Tool) flush();
    switch (message.role) {
      case LlmRole::System: return;
      case LlmRole::User:
        out_.push_back({{"role", "user"}, {"content", content_of(message)}});
        return;
      case LlmRole::Assistant: out_.push_back(assistant_message(message)); return;
      case LlmRole::Tool: break;
    }
    for (const LlmBlock& block : message.blocks) {
      if (block.tool_result) add_result(*block.tool_result);
    }
  }
  bj::array take() {
    flush();
    return std::move(out_);
  }
  bj::array out_;

 private:
  void add_result(const LlmToolResult& result) {
    out_.push_back({{"role", "tool"}, {"tool_call_id", result.call_id}, {"content", result.text}});
    if (result.images.empty()) return;
    images_.push_back(text_part("Images of the result of " + result.name + ':'));
    for (const LlmImage& image : result.images) images_.push_back(image_part(image));
  }
  void flush() {
    if (images_.empty()) return;
    out_.push_back({{"role", "user"}, {"content", std::exchange(images_, {})}});
  }

  bj::array images_;
};

void add_tools(bj::object& body, const LlmChatRequest& request) {
  if (request.tools.empty()) return;
  bj::array tools;
  for (const LlmTool& tool : request.tools) {
    bj::object function{{"name", tool.name},
                        {"description", tool.description},
                        {"parameters", llm::parse_or_null(tool.input_schema.text)}};
    if (tool.strict) function["strict"] = true;
    tools.push_back({{"type", "function"}, {"function", std::move(function)}});
  }
  body["tools"] = std::move(tools);
  switch (request.tool_choice) {
    case LlmToolChoice::Auto: break;
    case LlmToolChoice::None: body["tool_choice"] = "none"; break;
    case LlmToolChoice::Required: body["tool_choice"] = "required"; break;
    case LlmToolChoice::Named:
      body["tool_choice"] = {{"type", "function"},
                             {"function", {{"name", request.tool_choice_name}}}};
      break;
  }
  if (!request.parallel_tool_calls) body["parallel_tool_calls"] = false;
}

}  // namespace

std::string chat_body(const LlmChatRequest& request, const llm::Endpoint& endpoint,
                      const LlmModel& model) {
  Messages messages;
  if (const std::string system = llm::system_text(request.messages); !system.empty()) {
    messages.out_.push_back({{"role", "system"}, {"content", system}});
  }
  for (const LlmMessage& message : request.messages) messages.add(message);
  bj::object body{{"model", model.id}, {"messages", messages.take()}, {"stream", true}};
  // Mistral counts without being asked and refuses fields that it does not know.
  if (endpoint.name != "mistral") body["stream_options"] = {{"include_usage", true}};
  add_tools(body, request);
  if (const LlmEffort effort = llm::nearest_effort(request.effort, model);
      effort != LlmEffort::Default) {
    body["reasoning_effort"] = jsv(llm::effort_name(effort));
  }
  if (request.max_output_tokens) {
    body[is_openai(endpoint) ? "max_completion_tokens" : "max_tokens"] = *request.max_output_tokens;
  }
  if (request.temperature && model.capabilities.temperature) {
    body["temperature"] = *request.temperature;
  }
  if (request.output_schema) {
    body["response_format"] = {{"type", "json_schema"},
                               {"json_schema",
                                {{"name", request.output_schema->name},
                                 {"schema", llm::parse_or_null(request.output_schema->schema.text)},
                                 {"strict", request.output_schema->strict}}}};
  }
  if (!request.cache_key.empty() && is_openai(endpoint)) {
    body["prompt_cache_key"] = request.cache_key;
  }
  if (request.image_output && endpoint.name == "openrouter") {
    body["modalities"] = bj::array{"image", "text"};
  }
  return codec::serialize(body);
}

}  // namespace gantry::openai
