// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a server says: its tools and the results of calls, read with suspicion. Pure functions.
// Source: MCP 2024-11-05 to 2025-11-25, "Tools".

#include <gantry/contracts/tool.hpp>
#include <gantry/mcp/json_rpc.hpp>

#include <boost/json/value.hpp>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "settings.hpp"

namespace gantry::tools_mcp {

struct RemoteTool {
  std::string name;             // as the server has it
  ToolDescription description;  // its name is not filled in
};

struct Offer {
  std::vector<RemoteTool> tools;
  std::vector<std::string> left_out;  // what could not be taken, and why
  std::string next;                   // cursor of the next page; empty: there is none
};

/// One page of tools/list. Texts are bounded and lose what a reader would not see; schemas that are
/// too large, too deep or no object leave their tool out. Annotations count only where the
/// configuration trusts them: without, a tool acts, destroys, and reaches beyond this machine.
[[nodiscard]] Offer read_offer(const boost::json::value& result, const std::string& server,
                               const ServerSettings& settings, const LimitSettings& limits);

/// A tools/call result. Blocks of kinds that are not known, and what is over the limits, are named.
[[nodiscard]] ToolResult read_result(const boost::json::value& result, const LimitSettings& limits);

/// A JSON-RPC error as the failure of a call.
[[nodiscard]] Error read_failure(const mcp::RpcError& error, const std::string& server);

}  // namespace gantry::tools_mcp
