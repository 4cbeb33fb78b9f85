// SPDX-License-Identifier: Apache-2.0
// What the terminal makes of answers and of results of tools.
#pragma once

#include <gantry/contracts/turn.hpp>

#include <string>
#include <string_view>

namespace gantry::cli {

/// Whether an answer speaks of this tool. Names such as "scroll" are also words: alone they count
/// only in quotes or after "the tool".
[[nodiscard]] bool names_tool(std::string_view answer, std::string_view tool);

/// The message of a tool's failure that is told as JSON, `{"error": {"message"}}` or
/// `{"error": "text"}`; anything else as it is.
[[nodiscard]] std::string failure_message(std::string_view output);

/// What somebody answers who was asked for consent. Nothing at all is a no.
enum class Consent { Yes, Always, No, Unclear };
[[nodiscard]] Consent consent(std::string_view line);

/// The command that a line of a conversation begins with, "/help"; empty when the line is meant for
/// the agent. A path and a comment are: `/tmp/x`, `// hm`.
[[nodiscard]] std::string_view command_of(std::string_view line);

/// What to say of a turn whose last answer had no word (TurnFinishedBody::final_was_empty).
/// `stop_reason` is that of its last model call. The engine's own sentence speaks of actions, so it
/// is told only where there were some.
[[nodiscard]] std::string words_for_nothing(const TurnFinishedBody& end,
                                            std::string_view stop_reason);

/// How many columns a text fills, as far as its characters are one wide each.
[[nodiscard]] std::size_t columns(std::string_view text);

}  // namespace gantry::cli
