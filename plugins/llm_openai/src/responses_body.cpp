// SPDX-License-Identifier: Apache-2.0
// The request of Responses. Nothing is stored at the provider: the history goes along each time,
// with the encrypted thoughts.
#include <gantry/llm/json.hpp>
#include <gantry/llm/wire.hpp>

#include "dialect.hpp"

namespace gantry::openai {
namespace {

namespace bj = boost::json;
using llm::jsv;

bj::object input_image(const LlmImage& image) {
  const std::string_view detail = image.detail == LlmDetail::High  ? "high"
                                  : image.detail == LlmDetail::Low ? "low"
                                                                   : "auto";
  return {{"type", "input_image"},
          {"image_url", llm::data_url(image.media_type, image.data.text())},
          {"detail", jsv(detail)}};
}

void add_user(bj::array& input, const LlmMessage& message) {
  bj::array parts;
  for (const LlmBlock& block : message.blocks) {
    if (block.kind == LlmBlockKind::Text) {
      parts.push_back({{"type", "input_text"}, {"text", block.text}});
    } else if (block.image) {
      parts.push_back(input_image(*block.image));
    }
  }
  input.push_back({{"role", "user"}, {"content", std::move(parts)}});
}

void add_assistant_text(bj::array& input, const std::string& text) {
  input.push_back({{"type", "message"},
                   {"role", "assistant"},
                   {"content", bj::array{bj::object{{"type", "output_text"}, {"text", text}}}}});
}

void add_assistant(bj::array& input, const LlmMessage& message, const LlmModel& model) {
  for (const LlmBlock& block : message.blocks) {
    if (block.kind == LlmBlockKind::Text) {
      add_assistant_text(input, block.text);
    } else if (block.image) {
      add_assistant_text(input, llm::omitted_image(*block.image));
    } else if (block.tool_call) {
      input.push_back({{"type", "function_call"},
                       {"call_id", block.tool_call->id},
                       {"name", block.tool_call->name},
                       {"arguments", block.tool_call->arguments.text}});
    } else if (llm::made_by(block.opaque, kPlugin) && block.opaque->model == model.id) {
      bj::value item = llm::parse_or_null(block.opaque->data);
      if (item.is_object()) input.push_back(std::move(item));
    }
  }
}

void add_results(bj::array& input, const LlmMessage& message) {
  for (const LlmBlock& block : message.blocks) {
    if (!block.tool_result) continue;
    const LlmToolResult& result = *block.tool_result;
    bj::value output(result.text);
    if (!result.images.empty()) {
      bj::array parts;
      if (!result.text.empty()) {
        parts.push_back({{"type", "input_text"}, {"text", result.text}});
      }
      for (const LlmImage& image : result.images) parts.push_back(input_image(image));
      output = std::move(parts);
    }
    input.push_back({{"type", "function_call_output"},
                     {"call_id", result.call_id},
                     {"output", std::move(output)}});
  }
}

bj::array tools_of(const LlmChatRequest& request) {
  bj::array tools;
  for (const LlmTool& tool : request.tools) {
    tools.push_back({{"type", "function"},
                     {"name", tool.name},
                     {"description", tool.description},
                     {"parameters", llm::parse_or_null(tool.input_schema.text)},
                     {"strict", tool.strict}});  // without it: true
  }
  if (request.web_search.enabled) {
    bj::object search{{"type", "web_search"}};
    if (!request.web_search.domains.empty()) {
      bj::array domains;
      for (const std::string& domain : request.web_search.domains) domains.emplace_back(domain);
      search["filters"] = {{"allowed_domains", std::move(domains)}};
    }
    tools.push_back(std::move(search));
  }
  if (request.image_output) tools.push_back(bj::object{{"type", "image_generation"}});
  return tools;
}

void add_choice(bj::object& body, const LlmChatRequest& request) {
  switch (request.tool_choice) {
    case LlmToolChoice::Auto: break;
    case LlmToolChoice::None: body["tool_choice"] = "none"; break;
    case LlmToolChoice::Required: body["tool_choice"] = "required"; break;
    case LlmToolChoice::Named:
      body["tool_choice"] = {{"type", "function"}, {"name", request.tool_choice_name}};
      break;
  }
  if (!request.parallel_tool_calls) body["parallel_tool_calls"] = false;
}

void add_reasoning(bj::object& body, const LlmChatRequest& request, const LlmModel& model) {
  if (!model.capabilities.thinking) return;
  bj::object reasoning{{"summary", "auto"}};
  if (const LlmEffort effort = llm::nearest_effort(request.effort, model);
      effort != LlmEffort::Default) {
    reasoning["effort"] = jsv(llm::effort_name(effort));
  }
  body["reasoning"] = std::move(reasoning);
  body["include"] = bj::array{"reasoning.encrypted_content"};
}

}  // namespace

std::string responses_body(const LlmChatRequest& request, const LlmModel& model) {
  bj::array input;
  for (const LlmMessage& message : request.messages) {
    switch (message.role) {
      case LlmRole::System: break;
      case LlmRole::User: add_user(input, message); break;
      case LlmRole::Assistant: add_assistant(input, message, model); break;
      case LlmRole::Tool: add_results(input, message); break;
    }
  }
  bj::object body{
      {"model", model.id}, {"input", std::move(input)}, {"stream", true}, {"store", false}};
  if (const std::string system = llm::system_text(request.messages); !system.empty()) {
    body["instructions"] = system;
  }
  if (bj::array tools = tools_of(request); !tools.empty()) {
    body["tools"] = std::move(tools);
    add_choice(body, request);
  }
  add_reasoning(body, request, model);
  if (request.max_output_tokens) body["max_output_tokens"] = *request.max_output_tokens;
  if (request.temperature && model.capabilities.temperature) {
    body["temperature"] = *request.temperature;
  }
  if (request.output_schema) {
    body["text"] = {{"format",
                     {{"type", "json_schema"},
                      {"name", request.output_schema->name},
                      {"schema", llm::parse_or_null(request.output_schema->schema.text)},
                      {"strict", request.output_schema->strict}}}};
  }
  if (!request.cache_key.empty()) body["prompt_cache_key"] = request.cache_key;
  return codec::serialize(body);
}

}  // namespace gantry::openai
