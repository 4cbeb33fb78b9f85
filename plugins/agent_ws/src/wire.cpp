// SPDX-License-Identifier: Apache-2.0
// The one file that pays for the JSON of what this plugin sends.
#include <gantry/codec.hpp>
#include <gantry/contracts/llm.hpp>

#include "append_json.hpp"
#include "manifest.hpp"
#include "model_rows.hpp"
#include "outgoing.hpp"
#include "settings.hpp"
#include "shape.hpp"

GANTRY_INSTANTIATE(gantry::LlmSearchStep)
GANTRY_INSTANTIATE(gantry::agent_ws::Settings)
GANTRY_INSTANTIATE(gantry::agent_ws::ManifestReport)
GANTRY_INSTANTIATE(gantry::agent_ws::ModelGroups)
GANTRY_INSTANTIATE(std::vector<gantry::agent_ws::ToolFunction>)
GANTRY_INSTANTIATE(std::vector<gantry::agent_ws::ModelRow>)
GANTRY_INSTANTIATE(gantry::agent_ws::Findings)
GANTRY_INSTANTIATE(gantry::agent_ws::ToolOutputMetadata)
GANTRY_INSTANTIATE(gantry::agent_ws::CompactionStartedPayload)
GANTRY_INSTANTIATE(gantry::agent_ws::CompactionCompletedPayload)
GANTRY_INSTANTIATE(gantry::agent_ws::CompactionFailedPayload)
GANTRY_INSTANTIATE(gantry::agent_ws::ModelHistoryOutRow)
GANTRY_INSTANTIATE(std::vector<gantry::agent_ws::PromptMessage>)
GANTRY_INSTANTIATE(gantry::agent_ws::PlannedPayload)
GANTRY_INSTANTIATE(gantry::agent_ws::PlannedQuery)
GANTRY_INSTANTIATE(gantry::agent_ws::StopQueryAck)
GANTRY_INSTANTIATE(gantry::agent_ws::SettingsLoaded)
GANTRY_INSTANTIATE(gantry::agent_ws::SettingsUpdated)
GANTRY_INSTANTIATE(gantry::agent_ws::WakewordActivated)
GANTRY_INSTANTIATE(gantry::agent_ws::RemoteToolCatalog)

template <class T>
void gantry::agent_ws::append_json(std::string& out, const T& payload) {
  codec::write(out, codec::descriptor_of<T>(), &payload);
}

/// What a turn sends.
#define GANTRY_EVENT(Type)                   \
  GANTRY_INSTANTIATE(gantry::agent_ws::Type) \
  template void gantry::agent_ws::append_json(std::string&, const Type&);

GANTRY_EVENT(QueryAccepted)
GANTRY_EVENT(TextPayload)
GANTRY_EVENT(LlmThought)
GANTRY_EVENT(StreamingComplete)
GANTRY_EVENT(ErrorPayload)
GANTRY_EVENT(ToolCallPayload)
GANTRY_EVENT(ToolBundlePayload)
GANTRY_EVENT(ToolOutputPayload)
GANTRY_EVENT(WebSearchProgress)
GANTRY_EVENT(SystemPromptPayload)
GANTRY_EVENT(UserMessageFull)
GANTRY_EVENT(AssistantMessageFull)
GANTRY_EVENT(ToolSchemas)
GANTRY_EVENT(TokenCount)
GANTRY_EVENT(ModelHistoryUpdated)
