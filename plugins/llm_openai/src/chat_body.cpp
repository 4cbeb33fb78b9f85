// SPDX-License-Identifier: Apache-2.0
// The request of Chat Completions, written straight into its text.
#include <gantry/llm/json.hpp>
#include <gantry/llm/wire.hpp>

#include <algorithm>
#include <array>

#include "dialect.hpp"

namespace gantry::openai {
namespace {

using llm::ObjectText;

constexpr std::array<std::string_view, 3> kDetails{"auto", "low", "high"};
constexpr std::string_view kTrue = "true";
constexpr std::string_view kFalse = "false";

void separate(std::string& list) {
  if (!list.empty() && list.back() != '[') list += ',';
}

void add_image_part(std::string& list, const LlmImage& image) {
  separate(list);
  ObjectText part(list);
  ObjectText url(part.text("type", "image_url").member("image_url"));
  url.text("url", llm::data_url(image.media_type, image.data.text()));
  if (image.detail != LlmDetail::Auto) {
    url.text("detail", kDetails.at(static_cast<std::size_t>(image.detail)));
  }
  url.end();
  part.end();
}

void add_text_part(std::string& list, std::string_view text) {
  separate(list);
  ObjectText(list).text("type", "text").text("text", text).end();
}

/// One text when there is nothing else: the form that every server takes.
void write_content(std::string& out, const LlmMessage& message) {
  const auto& blocks = message.blocks;
  const bool only_text = std::none_of(blocks.begin(), blocks.end(), [](const LlmBlock& block) {
    return block.kind != LlmBlockKind::Text && block.image;
  });
  if (only_text) return codec::write_string(out, llm::text_of(message));
  out += '[';
  for (const LlmBlock& block : blocks) {
    if (block.kind == LlmBlockKind::Text) {
      add_text_part(out, block.text);
    } else if (block.image) {
      add_image_part(out, *block.image);
    }
  }
  out += ']';
}

void add_call(std::string& list, const LlmToolCall& call) {
  separate(list);
  ObjectText out(list);
  out.text("id", call.id).text("type", "function");
  ObjectText(out.member("function"))
      .text("name", call.name)
      .text("arguments", call.arguments.text)
      .end();
  out.end();
}

void write_assistant(std::string& list, const LlmMessage& message) {
  std::string text;
  std::string calls;
  for (const LlmBlock& block : message.blocks) {
    if (block.kind == LlmBlockKind::Text) text += block.text;
    if (block.image) text += llm::omitted_image(*block.image);
    if (block.tool_call) add_call(calls, *block.tool_call);
  }
  separate(list);
  ObjectText out(list);
  out.text("role", "assistant");
  if (text.empty() && !calls.empty()) {
    out.json("content", "null");
  } else {
    out.text("content", text);
  }
  if (!calls.empty()) out.json("tool_calls", '[' + calls + ']');
  out.end();
}

/// Results are texts; their images follow in a message of the user, after all results.
class Messages {
 public:
  explicit Messages(std::string& list) : list_(list) {}

  void system(std::string_view text) {
    separate(list_);
    ObjectText(list_).text("role", "system").text("content", text).end();
  }
  void add(const LlmMessage& message) {
    if (message.role != LlmRole::Tool) flush();
    switch (message.role) {
      case LlmRole::System: return;
      case LlmRole::User: {
        separate(list_);
        ObjectText out(list_);
        write_content(out.text("role", "user").member("content"), message);
        return out.end();
      }
      case LlmRole::Assistant: return write_assistant(list_, message);
      case LlmRole::Tool: break;
    }
    for (const LlmBlock& block : message.blocks) {
      if (block.tool_result) add_result(*block.tool_result);
    }
  }
  void flush() {
    if (images_.empty()) return;
    separate(list_);
    ObjectText(list_).text("role", "user").json("content", '[' + images_ + ']').end();
    images_.clear();
  }

 private:
  void add_result(const LlmToolResult& result) {
    separate(list_);
    ObjectText(list_)
        .text("role", "tool")
        .text("tool_call_id", result.call_id)
        .text("content", result.text)
        .end();
    if (result.images.empty()) return;
    add_text_part(images_, "Images of the result of " + result.name + ':');
    for (const LlmImage& image : result.images) add_image_part(images_, image);
  }

  std::string& list_;
  std::string images_;
};

void add_tools(ObjectText& body, const LlmChatRequest& request) {
  if (request.tools.empty()) return;
  std::string tools = "[";
  for (const LlmTool& tool : request.tools) {
    separate(tools);
    ObjectText out(tools);
    ObjectText function(out.text("type", "function").member("function"));
    function.text("name", tool.name)
        .text("description", tool.description)
        .json("parameters", llm::json_or_null(tool.input_schema.text));
    if (tool.strict) function.json("strict", kTrue);
    function.end();
    out.end();
  }
  body.json("tools", tools + ']');
  switch (request.tool_choice) {
    case LlmToolChoice::Auto: break;
    case LlmToolChoice::None: body.text("tool_choice", "none"); break;
    case LlmToolChoice::Required: body.text("tool_choice", "required"); break;
    case LlmToolChoice::Named: {
      ObjectText choice(body.member("tool_choice"));
      choice.text("type", "function");
      ObjectText(choice.member("function")).text("name", request.tool_choice_name).end();
      choice.end();
      break;
    }
  }
  if (!request.parallel_tool_calls) body.json("parallel_tool_calls", kFalse);
}

void add_output_schema(ObjectText& body, const LlmOutputSchema& schema) {
  ObjectText format(body.member("response_format"));
  ObjectText(format.text("type", "json_schema").member("json_schema"))
      .text("name", schema.name)
      .json("schema", llm::json_or_null(schema.schema.text))
      .json("strict", schema.strict ? kTrue : kFalse)
      .end();
  format.end();
}

void write_messages(std::string& out, const LlmChatRequest& request) {
  out += '[';
  Messages messages(out);
  if (const std::string system = llm::system_text(request.messages); !system.empty()) {
    messages.system(system);
  }
  for (const LlmMessage& message : request.messages) messages.add(message);
  messages.flush();
  out += ']';
}

/// OpenAI's models that think refuse the old name, also behind a proxy that base_url names. Other
/// servers know the old name only.
std::string_view limit_name(const llm::Endpoint& endpoint, const LlmModel& model) {
  const bool thinks = model.family == "o" || model.id.starts_with("gpt-5");
  const bool newer = is_openai(endpoint) || (endpoint.name == "openai" && thinks);
  return newer ? "max_completion_tokens" : "max_tokens";
}

}  // namespace

std::string chat_body(const LlmChatRequest& request, const llm::Endpoint& endpoint,
                      const LlmModel& model) {
  std::string out;
  ObjectText body(out);
  write_messages(body.text("model", model.id).member("messages"), request);
  body.json("stream", kTrue);
  // Mistral counts without being asked and refuses fields that it does not know.
  if (endpoint.name != "mistral") body.json("stream_options", R"({"include_usage":true})");
  add_tools(body, request);
  if (const LlmEffort effort = llm::nearest_effort(request.effort, model);
      effort != LlmEffort::Default) {
    body.text("reasoning_effort", llm::effort_name(effort));
  }
  if (request.max_output_tokens) {
    codec::write_integer(body.member(limit_name(endpoint, model)), *request.max_output_tokens);
  }
  if (request.temperature && model.capabilities.temperature) {
    codec::write_double(body.member("temperature"), *request.temperature);
  }
  if (request.output_schema) add_output_schema(body, *request.output_schema);
  if (!request.cache_key.empty() && is_openai(endpoint)) {
    body.text("prompt_cache_key", request.cache_key);
  }
  if (request.image_output && endpoint.name == "openrouter") {
    body.json("modalities", R"(["image","text"])");
  }
  body.end();
  return out;
}

}  // namespace gantry::openai
