// SPDX-License-Identifier: Apache-2.0
//
// What the parts of the agent backend tell each other: its WebSocket keeps users' settings and
// reads agent_definitions, its HTTP API shows them. Served by the WebSocket's plugin.
#pragma once

#include <gantry/contracts/turn.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gantry {

struct AgentPlanRequest {
  std::string principal;
  std::string user_id;  // as the protocol names the principal; may be empty
  // Payload of a `query` message. `text` and `conversation_ref` may be missing.
  Json query{"{}"};
  // [{"role": "user" | "assistant" | "tool", "content", …}], entries as rehydrate-conversation has
  // them: the conversation. When the last one is the user's it is the query.
  Json messages{"[]"};
  bool tools = true;  // false: the model is offered none
  // Instead of what the user has set.
  std::optional<std::string> model_id;
  std::optional<std::string> model_provider;
  std::optional<std::string> interaction_mode;
};
BOOST_DESCRIBE_STRUCT(AgentPlanRequest, (),
                      (principal, user_id, query, messages, tools, model_id, model_provider,
                       interaction_mode))

struct AgentPlanned {
  Json config{"{}"};             // as settings-loaded has it: keys of providers are ""
  TurnStartRequest turn;         // what the query would start; no keys
  TurnPreviewed preview;         // what the model would be sent
  std::vector<AgentTool> tools;  // all of them, with why one is not offered; by name
  Json messages{"[]"};           // preview.messages in the protocol's words
  Json user_message;             // payload of user-message-full; null: nothing is said
  Json query_message{"{}"};      // {"type": "query", "payload"} that a client would send
  Json transparency{"[]"};       // [{"type", "payload"}]: events of the first model call
};
BOOST_DESCRIBE_STRUCT(AgentPlanned, (),
                      (config, turn, preview, tools, messages, user_message, query_message,
                       transparency))

/// Nothing is started and nothing kept. Errors: invalid_argument (the query or the messages are
/// none; detail [{"at": "query.payload.text", "problem"}]), unavailable (no agent engine).
struct AgentPlan {
  static constexpr std::string_view kName = "gantry.agent.plan/1";
  static constexpr std::string_view kDoc = "What a query of this user would start and send.";
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
