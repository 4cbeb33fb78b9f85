// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the published tools are to an MCP client: titles, hints, schemas of their answers. Pure.

#include <gantry/contracts/observe.hpp>
#include <gantry/contracts/tool.hpp>

#include <string_view>

namespace gantry::mcp {

[[nodiscard]] ToolDescription describe_tool(const ObserverToolDescription& tool);

/// Waits or may take seconds: its progress is shown.
[[nodiscard]] bool takes_long(std::string_view tool);

}  // namespace gantry::mcp
