// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace gantry::mcp {

/// The JSON Schema of what a tool of the observer answers: its members when it succeeds, which then
/// are required, and in short what any answer may carry, `error` and `next_call` among them. A tool
/// that has no row answers with the latter only. Pure.
[[nodiscard]] std::string answer_schema(std::string_view tool);

}  // namespace gantry::mcp
