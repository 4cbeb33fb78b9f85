// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a query would start, without starting it: for the HTTP API's introspection. Pure.

#include <gantry/contracts/agent_backend.hpp>
#include <gantry/result.hpp>

#include "client_settings.hpp"
#include "settings.hpp"

namespace gantry::agent_ws {

/// Errors: invalid_argument, "query.payload.text: Input should be a valid string".
[[nodiscard]] Result<AgentPlanned> plan_query(const Settings& settings, ClientSettings client,
                                              const AgentPlanRequest& request);

}  // namespace gantry::agent_ws
