// SPDX-License-Identifier: Apache-2.0
//
// How many tokens a prompt has, about. No provider's tokenizer is here: text counts by its kind of
// characters, so that an estimate is seldom less than the truth. Pure functions.
#pragma once

#include <gantry/contracts/llm.hpp>

#include <cstdint>
#include <string_view>
#include <vector>

namespace gantry::llm {

/// A token for 4 bytes of ASCII letters, for 2 digits or signs, for a character of other scripts.
[[nodiscard]] std::int64_t estimate_tokens(std::string_view text);
/// With the frame of every message, tools with their schemas, and 1,100 for an image.
[[nodiscard]] std::int64_t estimate_tokens(const std::vector<LlmMessage>& messages,
                                           const std::vector<LlmTool>& tools);
/// What answers of gantry.llm.count_tokens/1 say of an estimate.
[[nodiscard]] LlmTokenCount estimated_count(const LlmCountRequest& request);

}  // namespace gantry::llm
