// SPDX-License-Identifier: Apache-2.0
#pragma once
// Keeps every result of a tool within max_bytes and max_tokens: hosts cut or refuse what is longer.
// What does not fit is kept for a while and linked, so that a client can read it as a resource.

#include <gantry/contracts/tool.hpp>

#include <cstdint>
#include <string_view>

#include "call.hpp"
#include "core.hpp"

namespace gantry::mcp {

/// Tokens of a text, estimated: three and a half bytes each, which is on the safe side for JSON.
[[nodiscard]] std::int64_t tokens_of(std::size_t bytes);
/// Bytes of text that both budgets leave.
[[nodiscard]] std::size_t text_budget(const Settings& settings);

[[nodiscard]] ToolResult within_budget(Core& core, const Call& call, ToolResult result);

}  // namespace gantry::mcp
