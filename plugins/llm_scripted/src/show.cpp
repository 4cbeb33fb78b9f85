// SPDX-License-Identifier: Apache-2.0
#include "show.hpp"

#include <gantry/contract.hpp>
#include <gantry/llm/wire.hpp>

#include <array>

namespace gantry::scripted {
namespace {

constexpr std::size_t kShownOfResult = 600;

std::string_view name_of(LlmRole role) {
  constexpr std::array<std::string_view, 4> kNames{"system", "user", "assistant", "tool"};
  return kNames.at(static_cast<std::size_t>(role));
}

std::string texts_of(const LlmChatRequest& request, LlmRole role) {
  std::string out;
  for (const LlmMessage& message : request.messages) {
    if (message.role != role) continue;
    if (!out.empty()) out += '\n';
    out += llm::text_of(message);
  }
  return out;
}

std::string describe_block(const LlmBlock& block) {
  if (block.tool_call) return "call " + block.tool_call->name + block.tool_call->arguments.text;
  if (block.tool_result) {
    return std::string(block.tool_result->is_error ? "failed " : "result ") +
           block.tool_result->name + ": " + block.tool_result->text;
  }
  if (block.image) return "image " + block.image->media_type;
  return block.text;
}

std::string show_messages(const LlmChatRequest& request) {
  std::string out;
  for (const LlmMessage& message : request.messages) {
    for (const LlmBlock& block : message.blocks) {
      if (!out.empty()) out += '\n';
      out += name_of(message.role);
      out += ": ";
      out += describe_block(block);
    }
  }
  return out;
}

std::string show_tools(const LlmChatRequest& request) {
  std::string out;
  for (const LlmTool& tool : request.tools) {
    if (!out.empty()) out += ' ';
    out += tool.name;
  }
  return out;
}

template <class F>
void each_image(const LlmChatRequest& request, F&& use) {
  for (const LlmMessage& message : request.messages) {
    for (const LlmBlock& block : message.blocks) {
      if (block.image) use(*block.image);
      if (!block.tool_result) continue;
      for (const LlmImage& image : block.tool_result->images) use(image);
    }
  }
}

}  // namespace

std::string describe_images(const LlmChatRequest& request) {
  std::string list;
  int count = 0;
  each_image(request, [&](const LlmImage& image) {
    list += list.empty() ? "" : ", ";
    list += image.media_type + ' ' + std::to_string(image.data.size()) + " bytes";
    ++count;
  });
  if (count == 0) return "no image";
  return std::to_string(count) + (count == 1 ? " image: " : " images: ") + list;
}

std::string describe_results(const LlmChatRequest& request) {
  std::string out;
  for (const LlmMessage& message : request.messages) {
    if (message.role == LlmRole::User) out.clear();  // of the turn before
    for (const LlmBlock& block : message.blocks) {
      if (!block.tool_result) continue;
      if (!out.empty()) out += '\n';
      out += describe_block(block).substr(0, kShownOfResult);
    }
  }
  return out;
}

Result<std::string> show(const LlmChatRequest& request, std::string_view what) {
  if (what == "system") return texts_of(request, LlmRole::System);
  if (what == "user") return texts_of(request, LlmRole::User);
  if (what == "messages") return show_messages(request);
  if (what == "results") return describe_results(request);
  if (what == "tools") return show_tools(request);
  if (what == "model") return request.model;
  if (what == "request") {
    LlmChatRequest open = request;
    open.credentials.clear();
    return to_json(open);
  }
  return invalid_argument("`show " + std::string(what) +
                          "` is unknown; it shows system, user, messages, results, tools, model or "
                          "request");
}

}  // namespace gantry::scripted
