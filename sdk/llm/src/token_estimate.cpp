// SPDX-License-Identifier: Apache-2.0
#include <gantry/llm/token_estimate.hpp>

#include <cctype>

namespace gantry::llm {
namespace {

constexpr std::int64_t kPerMessage = 4;
constexpr std::int64_t kPerTool = 8;
constexpr std::int64_t kPerImage = 1100;  // a 1080p screenshot, scaled as vision models do

std::int64_t of_block(const LlmBlock& block) {
  std::int64_t tokens = estimate_tokens(block.text);
  if (block.image) tokens += kPerImage;
  if (block.tool_call) {
    tokens += kPerMessage + estimate_tokens(block.tool_call->name) +
              estimate_tokens(block.tool_call->arguments.text);
  }
  if (block.tool_result) {
    tokens += kPerMessage + estimate_tokens(block.tool_result->text) +
              kPerImage * static_cast<std::int64_t>(block.tool_result->images.size());
  }
  return tokens;
}

}  // namespace

std::int64_t estimate_tokens(std::string_view text) {
  std::int64_t letters = 0, signs = 0, others = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0xC0) {
      ++others;  // the first byte of a character; the rest counts with it
    } else if (byte < 0x80) {
      ++(std::isalpha(byte) != 0 || byte == ' ' ? letters : signs);
    }
  }
  return (letters + 3) / 4 + (signs + 1) / 2 + others;
}

std::int64_t estimate_tokens(const std::vector<LlmMessage>& messages,
                             const std::vector<LlmTool>& tools) {
  std::int64_t tokens = 0;
  for (const LlmMessage& message : messages) {
    tokens += kPerMessage;
    for (const LlmBlock& block : message.blocks) tokens += of_block(block);
  }
  for (const LlmTool& tool : tools) {
    tokens += kPerTool + estimate_tokens(tool.name) + estimate_tokens(tool.description) +
              estimate_tokens(tool.input_schema.text);
  }
  return tokens;
}

LlmTokenCount estimated_count(const LlmCountRequest& request) {
  return {estimate_tokens(request.messages, request.tools), false,
          "estimated by kinds of characters"};
}

}  // namespace gantry::llm
