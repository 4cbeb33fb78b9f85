// SPDX-License-Identifier: Apache-2.0
// The request of Messages.
#include <gantry/llm/json.hpp>
#include <gantry/llm/wire.hpp>

#include <algorithm>
#include <array>

#include "dialect.hpp"

namespace gantry::anthropic {
namespace {

namespace bj = boost::json;
using llm::jsv;

constexpr std::size_t kMostCachePoints = 4;
constexpr std::int64_t kLeastBudget = 1024;
constexpr std::size_t kLongestCallId = 64;

bj::object text_block(std::string_view text) { return {{"type", "text"}, {"text", jsv(text)}}; }

bj::object image_block(const LlmImage& image) {
  return {{"type", "image"},
          {"source",
           {{"type", "base64"},
            {"media_type", image.media_type},
            {"data", llm::base64(image.data.text())}}}};
}

/// Text of nothing but blanks is refused.
bool has_words(std::string_view text) {
  return text.find_first_not_of(" \t\r\n") != std::string_view::npos;
}

/// Ids of other providers may have characters that are refused here.
std::string call_id(std::string_view id) {
  std::string out;
  for (const char c : id.substr(0, kLongestCallId)) {
    const bool fits = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-';
    out += fits ? c : '_';
  }
  return out.empty() ? "call" : out;
}

bj::object result_block(const LlmToolResult& result) {
  bj::array content;
  if (has_words(result.text)) content.push_back(text_block(result.text));
  for (const LlmImage& image : result.images) content.push_back(image_block(image));
  bj::object out{{"type", "tool_result"}, {"tool_use_id", call_id(result.call_id)}};
  if (!content.empty()) out["content"] = std::move(content);
  if (result.is_error) out["is_error"] = true;
  return out;
}

/// The thought as it came, or nothing when it is not from here.
bj::value thinking_block(const LlmBlock& block) {
  if (!llm::made_by(block.opaque, kPlugin)) return nullptr;
  const bj::value sealed = llm::parse_or_null(block.opaque->data);
  if (const auto redacted = llm::text_of(sealed, "redacted"); !redacted.empty()) {
    return bj::object{{"type", "redacted_thinking"}, {"data", jsv(redacted)}};
  }
  const auto signature = llm::text_of(sealed, "signature");
  if (signature.empty()) return nullptr;
  return bj::object{{"type", "thinking"}, {"thinking", block.text}, {"signature", jsv(signature)}};
}

void add_block(bj::array& content, const LlmBlock& block, LlmRole role) {
  if (block.kind == LlmBlockKind::Text) {
    if (has_words(block.text)) content.push_back(text_block(block.text));
  } else if (block.kind == LlmBlockKind::Thinking) {
    if (bj::value thought = thinking_block(block); thought.is_object()) {
      content.push_back(std::move(thought));
    }
  } else if (block.image) {
    content.push_back(role == LlmRole::Assistant ? text_block(llm::omitted_image(*block.image))
                                                 : image_block(*block.image));
  } else if (block.tool_call) {
    content.push_back({{"type", "tool_use"},
                       {"id", call_id(block.tool_call->id)},
                       {"name", block.tool_call->name},
                       {"input", llm::parse_or_null(block.tool_call->arguments.text)}});
  } else if (block.tool_result) {
    content.push_back(result_block(*block.tool_result));
  }
}

void mark(bj::array& content) {
  if (content.empty()) return;
  bj::object& last = content.back().as_object();
  if (last.at("type") != "thinking" && last.at("type") != "redacted_thinking") {
    last["cache_control"] = {{"type", "ephemeral"}};
  }
}

struct Conversation {
  bj::array system;
  bj::array messages;
};

/// Only the last few marks: the provider takes no more, and a later one covers the earlier ones.
std::size_t first_mark(const std::vector<LlmMessage>& messages) {
  std::size_t marks = 0;
  for (std::size_t i = messages.size(); i-- > 0;) {
    if (messages[i].cache_until_here && ++marks == kMostCachePoints) return i;
  }
  return 0;
}

Conversation conversation_of(const std::vector<LlmMessage>& messages) {
  Conversation out;
  const std::size_t from = first_mark(messages);
  std::string last_role;
  for (std::size_t i = 0; i < messages.size(); ++i) {
    const LlmMessage& message = messages[i];
    bj::array content;
    for (const LlmBlock& block : message.blocks) add_block(content, block, message.role);
    if (message.cache_until_here && i >= from) mark(content);
    if (content.empty()) continue;
    if (message.role == LlmRole::System) {
      for (auto& block : content) out.system.push_back(std::move(block));
      continue;
    }
    const std::string role = message.role == LlmRole::Assistant ? "assistant" : "user";
    if (role == last_role) {  // results and what the user says next are one message
      auto& before = out.messages.back().as_object()["content"].as_array();
      for (auto& block : content) before.push_back(std::move(block));
    } else {
      out.messages.push_back({{"role", role}, {"content", std::move(content)}});
    }
    last_role = role;
  }
  return out;
}

void add_tools(bj::object& body, const std::vector<LlmTool>& tools) {
  if (tools.empty()) return;
  bj::array list;
  for (const LlmTool& tool : tools) {
    list.push_back({{"name", tool.name},
                    {"description", tool.description},
                    {"input_schema", llm::parse_or_null(tool.input_schema.text)}});
  }
  body["tools"] = std::move(list);
}

void add_web_search(bj::object& body, const LlmWebSearch& search) {
  if (!search.enabled) return;
  bj::object tool{{"type", "web_search_20250305"}, {"name", "web_search"}};
  if (!search.domains.empty()) {
    bj::array domains;
    for (const std::string& domain : search.domains) domains.emplace_back(domain);
    tool["allowed_domains"] = std::move(domains);
  }
  if (!body.contains("tools")) body["tools"] = bj::array();
  body["tools"].as_array().push_back(std::move(tool));
}

void add_choice(bj::object& body, const LlmChatRequest& request) {
  if (!body.contains("tools")) return;
  constexpr std::array<std::string_view, 4> kChoices{"auto", "none", "any", "tool"};
  const bool usual = request.tool_choice == LlmToolChoice::Auto && request.parallel_tool_calls;
  if (usual) return;
  bj::object choice{{"type", jsv(kChoices.at(static_cast<std::size_t>(request.tool_choice)))}};
  if (request.tool_choice == LlmToolChoice::Named) choice["name"] = request.tool_choice_name;
  if (!request.parallel_tool_calls && request.tool_choice != LlmToolChoice::None) {
    choice["disable_parallel_tool_use"] = true;
  }
  body["tool_choice"] = std::move(choice);
}

/// In the middle of a round of tools the last answer must begin with its thought; one of another
/// model has none, and then there is no thinking until the next question.
bool may_think(const LlmChatRequest& request) {
  if (request.messages.back().role != LlmRole::Tool) return true;
  for (auto it = request.messages.rbegin(); it != request.messages.rend(); ++it) {
    if (it->role != LlmRole::Assistant) continue;
    return !it->blocks.empty() && it->blocks.front().kind == LlmBlockKind::Thinking &&
           thinking_block(it->blocks.front()).is_object();
  }
  return true;
}

std::int64_t budget_of(LlmEffort effort) {
  switch (effort) {
    case LlmEffort::Low: return 2'048;
    case LlmEffort::Medium: return 8'192;
    case LlmEffort::High: return 24'576;
    default: return 0;
  }
}

/// Adds how hard to think; true when it thinks.
bool add_thinking(bj::object& body, const LlmChatRequest& request, const LlmModel& model,
                  std::int64_t& most) {
  const LlmEffort effort = llm::nearest_effort(request.effort, model);
  const bool forced =
      request.tool_choice == LlmToolChoice::Required || request.tool_choice == LlmToolChoice::Named;
  if (effort == LlmEffort::Default || effort == LlmEffort::None || forced || !may_think(request)) {
    return false;
  }
  if (!thinks_by_budget(model.id)) {
    body["thinking"] = {{"type", "adaptive"}, {"display", "summarized"}};
    const std::string_view name = effort == LlmEffort::Max ? "max" : llm::effort_name(effort);
    body["output_config"] = {{"effort", jsv(name)}};
    return true;
  }
  const std::int64_t room = model.max_output_tokens.value_or(most);
  const std::int64_t budget =
      std::max(kLeastBudget, std::min(budget_of(effort), room - kLeastBudget));
  most = std::max(most, std::min(budget + most, std::max(room, budget + kLeastBudget)));
  body["thinking"] = {{"type", "enabled"}, {"budget_tokens", budget}};
  return true;
}

}  // namespace

std::string messages_body(const LlmChatRequest& request, const llm::Endpoint& endpoint,
                          const LlmModel& model) {
  Conversation talk = conversation_of(request.messages);
  bj::object body{{"model", model.id}, {"messages", std::move(talk.messages)}, {"stream", true}};
  if (!talk.system.empty()) body["system"] = std::move(talk.system);
  add_tools(body, request.tools);
  add_web_search(body, request.web_search);
  add_choice(body, request);
  std::int64_t most = request.max_output_tokens.value_or(endpoint.default_max_output_tokens);
  if (most <= 0) most = model.max_output_tokens.value_or(8'192);
  const bool thinks = add_thinking(body, request, model, most);
  body["max_tokens"] = most;
  if (request.temperature && !thinks && model.capabilities.temperature) {
    body["temperature"] = *request.temperature;
  }
  if (request.output_schema) {
    if (!body.contains("output_config")) body["output_config"] = bj::object();
    body["output_config"].as_object()["format"] = {
        {"type", "json_schema"},
        {"schema", llm::parse_or_null(request.output_schema->schema.text)}};
  }
  return codec::serialize(body);
}

std::string count_body(const LlmCountRequest& request) {
  Conversation talk = conversation_of(request.messages);
  bj::object body{{"model", request.model}, {"messages", std::move(talk.messages)}};
  if (!talk.system.empty()) body["system"] = std::move(talk.system);
  add_tools(body, request.tools);
  return codec::serialize(body);
}

}  // namespace gantry::anthropic
