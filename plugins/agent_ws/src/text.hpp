// SPDX-License-Identifier: Apache-2.0
#pragma once
// Small things about texts. Pure, any thread.

#include <cstddef>
#include <string>
#include <string_view>

namespace gantry::agent_ws {

/// Without the blanks at both ends.
[[nodiscard]] std::string_view trimmed(std::string_view text);
[[nodiscard]] bool blank(std::string_view text);
[[nodiscard]] std::string lowered(std::string_view text);  // ASCII
[[nodiscard]] std::size_t code_points(std::string_view text);
/// The beginning of at most so many bytes, cut between characters.
[[nodiscard]] std::string beginning(std::string_view text, std::size_t bytes);

}  // namespace gantry::agent_ws
