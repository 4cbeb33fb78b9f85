// SPDX-License-Identifier: Apache-2.0
#pragma once
// Calls of tools as a client is told of them. Pure functions. Source: agent contract 2.8.

#include <gantry/contracts/turn.hpp>

#include "outgoing.hpp"

namespace gantry::agent_ws {

[[nodiscard]] ToolCallPayload tool_call(const ToolCallItem& item);
/// One of several that the client runs together.
[[nodiscard]] BundleItem bundle_item(const ToolCallItem& item);

}  // namespace gantry::agent_ws
