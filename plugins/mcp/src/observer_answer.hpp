// SPDX-License-Identifier: Apache-2.0
#pragma once
// The engine's answers as MCP results: pictures become image blocks, failures teach. Pure.

#include <gantry/contracts/observe.hpp>
#include <gantry/contracts/tool.hpp>

#include "observer_teaching.hpp"

namespace gantry::mcp {

/// `request` is what was asked, for what a failure proposes next, of tools that `takes` knows and
/// `schemas`, where they are given.
[[nodiscard]] ToolResult observer_answer(const ObserverToolResult& result,
                                         const ToolCallRequest& request, const Takes& takes,
                                         const ToolSchemas* schemas = nullptr);

}  // namespace gantry::mcp
