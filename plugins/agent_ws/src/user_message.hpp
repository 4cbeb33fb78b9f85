// SPDX-License-Identifier: Apache-2.0
#pragma once
// The user's message as clients build it: sections in tags around <user_query>. Pure, any thread.

#include <string>
#include <string_view>

#include "outgoing.hpp"

namespace gantry::agent_ws {

struct QueryPayload;

/// What the user typed: the last <user_query> of the message, or all of it when there is none.
[[nodiscard]] std::string raw_query(std::string_view content);

/// What user-message-full says about a message.
[[nodiscard]] UserMessageMetadata describe_user_message(std::string_view content, bool with_images);

/// The text that the model reads: `content`; else `query_context`'s sections in tags of their names
/// before the typed text; else the typed text.
[[nodiscard]] std::string user_message(const QueryPayload& query);

}  // namespace gantry::agent_ws
