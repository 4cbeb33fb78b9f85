// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a client is shown of the prompt, once a turn. Pure, any thread.

#include <gantry/contracts/session.hpp>
#include <gantry/contracts/turn.hpp>

#include <string>
#include <string_view>
#include <vector>

#include "outgoing.hpp"

namespace gantry::agent_ws {

inline constexpr std::string_view kSystemPrompt = "system-prompt";
inline constexpr std::string_view kUserMessageFull = "user-message-full";
inline constexpr std::string_view kToolSchemas = "tool-schemas";

/// Type and payload of a message, the payload as JSON text.
struct NamedPayload {
  std::string type;
  std::string payload;
};

/// The payloads of the three.
[[nodiscard]] SystemPromptPayload system_prompt(const PromptBuiltBody& prompt);
[[nodiscard]] ToolSchemas tool_schemas(const Json& tools);
[[nodiscard]] UserMessageFull user_message_full(const HistoryRow& user);

/// All of them, in this order.
[[nodiscard]] std::vector<NamedPayload> prompt_events(const PromptBuiltBody& prompt,
                                                      const HistoryRow& user);

}  // namespace gantry::agent_ws
