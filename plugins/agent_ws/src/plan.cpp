// SPDX-License-Identifier: Apache-2.0
#include "plan.hpp"

#include <utility>

#include "manifest.hpp"
#include "message.hpp"
#include "turn_request.hpp"
#include "user_message.hpp"

namespace gantry::agent_ws {

Result<AgentPlanned> plan_query(const Settings& settings, ClientSettings client,
                                const AgentPlanRequest& request) {
  GANTRY_ASSIGN(const QueryPayload query, read_planned_query(request.query.text));
  client.choose(request.model_id, request.model_provider, request.interaction_mode);
  const AgentDefinition* definition = query.agent_definition ? &*query.agent_definition : nullptr;
  ManifestReport manifest;
  if (definition != nullptr && definition->tools) {
    manifest = check_manifest(definition->tools->client_manifest);
  }
  AgentPlanned planned;
  planned.config = client.config();
  planned.turn.session = {request.principal, kWorkspace, query.conversation_ref};
  planned.turn.text = user_message(query);
  planned.turn.attachments = screenshot_refs(query);
  planned.turn.options = turn_options({settings, client, definition, manifest}, query);
  planned.turn.options.provider_keys.clear();
  return planned;
}

}  // namespace gantry::agent_ws
