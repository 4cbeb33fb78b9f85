// SPDX-License-Identifier: Apache-2.0
#include <gantry/llm/token_estimate.hpp>

#include <algorithm>
#include <array>
#include <cstdint>

namespace gantry::llm {
namespace {

constexpr std::int64_t kPerMessage = 4;
constexpr std::int64_t kPerTool = 8;
constexpr std::int64_t kPerImage = 1100;  // a 1080p screenshot, scaled as vision models do

constexpr std::size_t kAtOnce = 16;
constexpr std::size_t kMostBlocks = 255;  // what a byte can count

/// How many of each kind; what is neither is the rest of a character, which counts with its first
/// byte.
struct Kinds {
  std::int64_t letters = 0;  // with spaces
  std::int64_t ascii = 0;    // letters and signs
  std::int64_t others = 0;   // first bytes of other characters

  void count(const char* bytes, std::size_t blocks, std::size_t size);
};

/// Counts `blocks` times `size` bytes, without a branch and in bytes, so that a compiler does all
/// `size` of them at once when it knows their number.
inline void Kinds::count(const char* bytes, std::size_t blocks, std::size_t size) {
  std::array<std::uint8_t, kAtOnce> letter{}, low{}, first{};
  for (std::size_t block = 0; block < blocks; ++block, bytes += size) {
    for (std::size_t i = 0; i < size; ++i) {
      const auto byte = static_cast<std::uint8_t>(bytes[i]);
      const auto from_a = static_cast<std::uint8_t>((byte | 0x20U) - 'a');
      letter[i] = static_cast<std::uint8_t>(letter[i] + ((from_a < 26) | (byte == ' ')));
      low[i] = static_cast<std::uint8_t>(low[i] + (byte < 0x80));
      first[i] = static_cast<std::uint8_t>(first[i] + (byte >= 0xC0));
    }
  }
  for (std::size_t i = 0; i < size; ++i) {
    letters += letter[i];
    ascii += low[i];
    others += first[i];
  }
}

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
  Kinds kinds;
  while (text.size() >= kAtOnce) {
    const std::size_t blocks = std::min(text.size() / kAtOnce, kMostBlocks);
    kinds.count(text.data(), blocks, kAtOnce);
    text.remove_prefix(blocks * kAtOnce);
  }
  kinds.count(text.data(), 1, text.size());
  return (kinds.letters + 3) / 4 + (kinds.ascii - kinds.letters + 1) / 2 + kinds.others;
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
