// SPDX-License-Identifier: Apache-2.0
#include <gantry/llm/token_estimate.hpp>

#include <array>
#include <cstdint>

namespace gantry::llm {
namespace {

constexpr std::int64_t kPerMessage = 4;
constexpr std::int64_t kPerTool = 8;
constexpr std::int64_t kPerImage = 1100;  // a 1080p screenshot, scaled as vision models do

enum Kind : std::uint8_t { kLetter, kSign, kOther, kContinued, kKinds };

constexpr std::array<std::uint8_t, 256> kKindOf = [] {
  std::array<std::uint8_t, 256> out{};
  for (std::size_t byte = 0; byte < out.size(); ++byte) {
    const std::size_t lower = byte | 0x20U;
    const bool letter = (lower >= 'a' && lower <= 'z') || byte == ' ';
    if (byte < 0x80) {
      out[byte] = letter ? kLetter : kSign;
    } else {
      out[byte] = byte >= 0xC0 ? kOther : kContinued;  // the rest counts with its first byte
    }
  }
  return out;
}();

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
  std::array<std::int64_t, kKinds> counts{};
  for (const char c : text) ++counts[kKindOf[static_cast<unsigned char>(c)]];
  return (counts[kLetter] + 3) / 4 + (counts[kSign] + 1) / 2 + counts[kOther];
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
