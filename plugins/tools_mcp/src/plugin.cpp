// SPDX-License-Identifier: Apache-2.0
#include <gantry/plugin.hpp>

#include "mcp_plugin.hpp"

GANTRY_PLUGIN(gantry::tools_mcp::McpToolsPlugin, "tools_mcp", "0.1.0")
