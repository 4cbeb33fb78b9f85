// SPDX-License-Identifier: Apache-2.0
#pragma once
// Carries a command out with the tools that are offered. Pure: what is due comes back as calls.

#include <gantry/contracts/llm.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace gantry::rules {

/// What the model says or does now: calls, or words that end the turn.
struct Move {
  std::vector<LlmToolCall> calls;
  std::string text;
};

/// The next move of the conversation. `wait_ms` is how long `wait for` waits by itself.
[[nodiscard]] Move next_move(const LlmChatRequest& request, std::int64_t wait_ms);

}  // namespace gantry::rules
