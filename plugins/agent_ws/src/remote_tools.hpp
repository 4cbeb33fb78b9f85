// SPDX-License-Identifier: Apache-2.0
#pragma once
// remote-tool-catalog: the tools that run on the daemon's machine and are offered here. Pure.

#include <gantry/contracts/turn.hpp>

#include <string>
#include <vector>

#include "outgoing.hpp"

namespace gantry::agent_ws {

/// `allowed` is agent_ws.daemon_tools, `tools` what the engine knows. web_search is always listed.
[[nodiscard]] RemoteToolCatalog remote_tools(const std::vector<std::string>& allowed,
                                             const std::vector<AgentTool>& tools);
/// The engine cannot be asked.
[[nodiscard]] RemoteToolCatalog no_remote_tools(const std::vector<std::string>& allowed,
                                                const std::string& reason);

}  // namespace gantry::agent_ws
