// SPDX-License-Identifier: Apache-2.0
#include "transparency.hpp"

#include <gantry/contract.hpp>

#include <utility>

#include "user_message.hpp"

namespace gantry::agent_ws {

ToolSchemas tool_schemas(const Json& tools) {
  ToolSchemas out;
  auto functions = from_json<std::vector<ToolFunction>>(tools.text);
  if (!functions.ok()) return out;
  out.tool_schemas.reserve(functions->size());
  for (ToolFunction& function : *functions) {
    ToolSchema schema{"function", function.name, function.description, function.parameters, {}};
    schema.function = std::move(function);
    out.tool_schemas.push_back(std::move(schema));
  }
  return out;
}

SystemPromptPayload system_prompt(const PromptBuiltBody& prompt) {
  SystemPromptPayload out;
  out.content = prompt.system_prompt;
  for (const PromptLayer& layer : prompt.layers) {
    if (layer.type.empty()) continue;  // a message of the user's, and no layer of the client's
    out.client_prompt_layers.push_back({layer.id, layer.type, layer.content});
  }
  return out;
}

UserMessageFull user_message_full(const HistoryRow& user) {
  return {user.text, describe_user_message(user.text, !user.images.empty())};
}

std::vector<NamedPayload> prompt_events(const PromptBuiltBody& prompt, const HistoryRow& user) {
  return {{std::string(kSystemPrompt), to_json(system_prompt(prompt))},
          {std::string(kUserMessageFull), to_json(user_message_full(user))},
          {std::string(kToolSchemas), to_json(tool_schemas(prompt.tools))}};
}

}  // namespace gantry::agent_ws
