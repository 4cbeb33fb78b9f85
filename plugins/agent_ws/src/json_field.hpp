// SPDX-License-Identifier: Apache-2.0
#pragma once
// Members that are always there and may be null. Pure.

#include <gantry/json.hpp>

#include <cstdint>
#include <optional>
#include <string_view>

namespace gantry::agent_ws {

/// A JSON string.
[[nodiscard]] Json json_text(std::string_view text);
/// The same; null when it is empty.
[[nodiscard]] Json json_text_or_null(std::string_view text);
[[nodiscard]] Json json_number_or_null(std::optional<std::int64_t> number);

}  // namespace gantry::agent_ws
