// SPDX-License-Identifier: Apache-2.0
#pragma once
// A query as the engine takes it. Pure, any thread.

#include <gantry/contracts/turn.hpp>

#include <optional>
#include <string>
#include <vector>

#include "agent_definition.hpp"
#include "client_settings.hpp"
#include "incoming.hpp"
#include "manifest.hpp"
#include "settings.hpp"

namespace gantry::agent_ws {

/// The workspace of all sessions of this protocol.
inline constexpr const char* kWorkspace = "agent";

/// What holds for a query besides itself.
struct QueryScope {
  const Settings& settings;
  const ClientSettings& client;
  const AgentDefinition* definition = nullptr;  // the query's own, else the connection's
  const ManifestReport& manifest;               // the client's tools
};

[[nodiscard]] ToolPolicy tool_policy(const QueryScope& scope);
[[nodiscard]] TurnOptions turn_options(const QueryScope& scope, const QueryPayload& query);
/// Artifact ids of the query, in order, each once.
[[nodiscard]] std::vector<std::string> screenshot_refs(const QueryPayload& query);

}  // namespace gantry::agent_ws
