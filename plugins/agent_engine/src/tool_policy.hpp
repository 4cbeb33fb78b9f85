// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which tools a turn may use, and which of them only with its user's consent. What a protocol asks
// for can only narrow what the configuration allows; what the model says changes nothing. Pure.

#include <gantry/contracts/turn.hpp>

#include <string>
#include <string_view>
#include <vector>

#include "settings.hpp"
#include "tool_registry.hpp"

namespace gantry::agent {

/// All tools, the client's among them, by name, each with `offered` or the reason why not. A tool
/// of the client takes the place of one of the daemon with the same name.
[[nodiscard]] std::vector<AgentTool> judge_tools(const ToolSet& daemon,
                                                 const AgentToolsRequest& request,
                                                 const ToolSettings& settings);

/// The stricter of what configuration and protocol say of this class.
[[nodiscard]] ApprovalMode approval_mode(ToolClass kind, const ToolPolicy& policy,
                                         const ApprovalSettings& settings);

}  // namespace gantry::agent
