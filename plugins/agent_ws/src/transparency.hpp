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

inline constexpr std::string_view kUserMessageFull = "user-message-full";
inline constexpr std::string_view kToolSchemas = "tool-schemas";

/// Type and payload of a message, the payload as JSON text.
struct NamedPayload {
  std::string type;
  std::string payload;
};

/// The payload of user-message-full.
[[nodiscard]] UserMessageFull user_message_full(const HistoryRow& user);

/// system-prompt, user-message-full, tool-schemas, in this order.
[[nodiscard]] std::vector<NamedPayload> prompt_events(const PromptBuiltBody& prompt,
                                                      const HistoryRow& user);

}  // namespace gantry::agent_ws
