// SPDX-License-Identifier: Apache-2.0
// What the terminal makes of answers and of results of tools.
#pragma once

#include <string>
#include <string_view>

namespace gantry::cli {

/// Whether an answer speaks of this tool. Names such as "scroll" are also words: alone they count
/// only in quotes or after "the tool".
[[nodiscard]] bool names_tool(std::string_view answer, std::string_view tool);

/// The message of a tool's failure that is told as JSON, `{"error": {"message"}}` or
/// `{"error": "text"}`; anything else as it is.
[[nodiscard]] std::string failure_message(std::string_view output);

/// How many columns a text fills, as far as its characters are one wide each.
[[nodiscard]] std::size_t columns(std::string_view text);

}  // namespace gantry::cli
