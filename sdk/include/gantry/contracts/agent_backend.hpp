// SPDX-License-Identifier: Apache-2.0
//
// What the parts of the agent backend tell each other: its WebSocket keeps users' settings and
// reads agent_definitions, its HTTP API shows them. Served by the WebSocket's plugin.
#pragma once

#include <gantry/contracts/turn.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace gantry {

struct AgentPlanRequest {
  std::string principal;
  std::string user_id;  // as the protocol names the principal; may be empty
  // Payload of a `query` message. `text` and `conversation_ref` may be missing.
  Json query{"{}"};
  // Instead of what the user has set.
  std::optional<std::string> model_id;
  std::optional<std::string> model_provider;
  std::optional<std::string> interaction_mode;
};
BOOST_DESCRIBE_STRUCT(AgentPlanRequest, (),
                      (principal, user_id, query, model_id, model_provider, interaction_mode))

struct AgentPlanned {
  Json config{"{}"};      // settings as settings-loaded has them: keys of providers are ""
  TurnStartRequest turn;  // what the query would start, and what turn.preview takes; no keys
};
BOOST_DESCRIBE_STRUCT(AgentPlanned, (), (config, turn))

/// Errors: invalid_argument (the query is none; the message says where and what).
struct AgentPlan {
  static constexpr std::string_view kName = "gantry.agent.plan/1";
  static constexpr std::string_view kDoc = "What a query of this user would start.";
  using Request = AgentPlanRequest;
  using Response = AgentPlanned;
};

struct AgentModelsRequest {
  std::string principal;  // whose own keys count for what is available
};
BOOST_DESCRIBE_STRUCT(AgentModelsRequest, (), (principal))

struct AgentModelRows {
  Json groups{"{}"};  // {"local": […], "online": […], "vision": […]}
  Json flat{"[]"};    // the same rows in one list
};
BOOST_DESCRIBE_STRUCT(AgentModelRows, (), (groups, flat))

struct AgentModels {
  static constexpr std::string_view kName = "gantry.agent.models/1";
  static constexpr std::string_view kDoc = "Models as the agent backend lists them.";
  using Request = AgentModelsRequest;
  using Response = AgentModelRows;
};

}  // namespace gantry
