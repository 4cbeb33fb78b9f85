// SPDX-License-Identifier: Apache-2.0
// The request of generateContent.
#include <gantry/llm/json.hpp>
#include <gantry/llm/wire.hpp>

#include <array>

#include "dialect.hpp"

namespace gantry::gemini {
namespace {

namespace bj = boost::json;
using llm::jsv;

/// What Google documents for calls that another model made, whose signature nobody has.
constexpr std::string_view kForeignCall = "skip_thought_signature_validator";

bj::object image_part(const LlmImage& image) {
  return {
      {"inlineData", {{"mimeType", image.media_type}, {"data", llm::base64(image.data.text())}}}};
}

void sign(bj::object& part, const std::optional<LlmOpaque>& opaque) {
  if (llm::made_by(opaque, kPlugin)) part["thoughtSignature"] = opaque->data;
}

void add_results(bj::array& parts, const LlmToolResult& result) {
  bj::object response;
  response[result.is_error ? "error" : "output"] = result.text;
  bj::object answer{
      {"id", result.call_id}, {"name", result.name}, {"response", std::move(response)}};
  parts.push_back(bj::object{{"functionResponse", std::move(answer)}});
  for (const LlmImage& image : result.images) parts.push_back(image_part(image));
}

/// The first call of a message without a signature is one of another model.
void add_call(bj::array& parts, const LlmBlock& block, bool first, std::string_view model) {
  const LlmToolCall& call = *block.tool_call;
  bj::object part{
      {"functionCall",
       {{"id", call.id}, {"name", call.name}, {"args", llm::parse_or_null(call.arguments.text)}}}};
  sign(part, block.opaque);
  if (first && !part.contains("thoughtSignature") && has_levels(model)) {
    part["thoughtSignature"] = jsv(kForeignCall);
  }
  parts.push_back(std::move(part));
}

bj::array parts_of(const LlmMessage& message, std::string_view model) {
  bj::array parts;
  bool first_call = true;
  for (const LlmBlock& block : message.blocks) {
    if (block.kind == LlmBlockKind::Text) {
      if (block.text.empty() && !block.opaque) continue;
      bj::object part{{"text", block.text}};
      sign(part, block.opaque);
      parts.push_back(std::move(part));
    } else if (block.image) {
      bj::object part = image_part(*block.image);
      sign(part, block.opaque);
      parts.push_back(std::move(part));
    } else if (block.tool_call) {
      add_call(parts, block, std::exchange(first_call, false), model);
    } else if (block.tool_result) {
      add_results(parts, *block.tool_result);
    }
  }
  return parts;
}

bj::array contents_of(const std::vector<LlmMessage>& messages, std::string_view model) {
  bj::array contents;
  std::string last_role;
  for (const LlmMessage& message : messages) {
    if (message.role == LlmRole::System) continue;
    bj::array parts = parts_of(message, model);
    if (parts.empty()) continue;
    const std::string role = message.role == LlmRole::Assistant ? "model" : "user";
    if (role == last_role) {
      auto& before = contents.back().as_object()["parts"].as_array();
      for (auto& part : parts) before.push_back(std::move(part));
    } else {
      contents.push_back({{"role", role}, {"parts", std::move(parts)}});
    }
    last_role = role;
  }
  return contents;
}

void add_system(bj::object& body, const std::vector<LlmMessage>& messages) {
  const std::string system = llm::system_text(messages);
  if (system.empty()) return;
  body["systemInstruction"] = {{"parts", bj::array{bj::object{{"text", system}}}}};
}

/// Functions and the search cannot be asked for together; functions go first.
void add_tools(bj::object& body, const std::vector<LlmTool>& tools, bool web_search) {
  if (!tools.empty()) {
    bj::array functions;
    for (const LlmTool& tool : tools) {
      functions.push_back({{"name", tool.name},
                           {"description", tool.description},
                           {"parametersJsonSchema", llm::parse_or_null(tool.input_schema.text)}});
    }
    body["tools"] = bj::array{bj::object{{"functionDeclarations", std::move(functions)}}};
  } else if (web_search) {
    body["tools"] = bj::array{bj::object{{"googleSearch", bj::object()}}};
  }
}

void add_choice(bj::object& body, const LlmChatRequest& request) {
  if (request.tools.empty() || request.tool_choice == LlmToolChoice::Auto) return;
  bj::object calling{{"mode", request.tool_choice == LlmToolChoice::None ? "NONE" : "ANY"}};
  if (request.tool_choice == LlmToolChoice::Named) {
    calling["allowedFunctionNames"] = bj::array{bj::value(request.tool_choice_name)};
  }
  body["toolConfig"] = {{"functionCallingConfig", std::move(calling)}};
}

void add_thinking(bj::object& config, const LlmChatRequest& request, const LlmModel& model) {
  if (!model.capabilities.thinking) return;
  bj::object thinking{{"includeThoughts", true}};
  const LlmEffort effort = llm::nearest_effort(request.effort, model);
  if (effort != LlmEffort::Default) {
    if (has_levels(model.id)) {
      thinking["thinkingLevel"] = jsv(llm::effort_name(effort));
    } else {
      constexpr std::array<std::int64_t, 7> kBudgets{-1, 0, 512, 2'048, 8'192, 24'576, 24'576};
      thinking["thinkingBudget"] = kBudgets.at(static_cast<std::size_t>(effort));
      thinking["includeThoughts"] = effort != LlmEffort::None;
    }
  }
  config["thinkingConfig"] = std::move(thinking);
}

}  // namespace

std::string content_body(const LlmChatRequest& request, const llm::Endpoint& endpoint,
                         const LlmModel& model) {
  bj::object body{{"contents", contents_of(request.messages, model.id)}};
  add_system(body, request.messages);
  add_tools(body, request.tools, request.web_search.enabled);
  add_choice(body, request);
  bj::object config;
  std::int64_t most = request.max_output_tokens.value_or(endpoint.default_max_output_tokens);
  if (most > 0) config["maxOutputTokens"] = most;
  if (request.temperature) config["temperature"] = *request.temperature;
  if (request.output_schema) {
    config["responseMimeType"] = "application/json";
    config["responseJsonSchema"] = llm::parse_or_null(request.output_schema->schema.text);
  }
  if (request.image_output || model.capabilities.images_out) {
    config["responseModalities"] = bj::array{"TEXT", "IMAGE"};
  }
  add_thinking(config, request, model);
  if (!config.empty()) body["generationConfig"] = std::move(config);
  return codec::serialize(body);
}

std::string count_body(const LlmCountRequest& request) {
  bj::object body{{"model", "models/" + request.model},
                  {"contents", contents_of(request.messages, request.model)}};
  add_system(body, request.messages);
  add_tools(body, request.tools, false);
  return codec::serialize(bj::object{{"generateContentRequest", std::move(body)}});
}

}  // namespace gantry::gemini
