// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a query would start and send, without starting it: for the HTTP API's introspection.

#include <gantry/contracts/agent_backend.hpp>
#include <gantry/result.hpp>

#include <functional>
#include <string>

#include "client_settings.hpp"
#include "settings.hpp"

namespace gantry::agent_ws {

class Server;

/// A query that is not sent, and what the engine is asked about it.
struct Plan {
  ClientSettings client;
  std::string query;  // its payload as it came
  bool tools = true;  // false: the model is offered none
  std::string typed;  // what the user typed
  HistoryRow user;    // what the model reads of it; without a text nothing is said
  TurnPreviewRequest preview;
};

/// Errors: invalid_argument, "query.payload.text: Input should be a valid string". Pure.
[[nodiscard]] Result<Plan> plan_query(const Settings& settings, ClientSettings client,
                                      const AgentPlanRequest& request);

/// What the plan comes to, with what the engine says. Pure.
[[nodiscard]] AgentPlanned describe_plan(Plan plan, TurnPreviewed preview, AgentToolList tools);

/// Asks the engine and answers gantry.agent.plan/1. Strand only.
void answer_plan(Server& server, const AgentPlanRequest& request,
                 std::function<void(Result<AgentPlanned>)> done);

}  // namespace gantry::agent_ws
