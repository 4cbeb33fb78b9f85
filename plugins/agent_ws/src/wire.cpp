// SPDX-License-Identifier: Apache-2.0
// The one file that pays for the JSON of what this plugin sends.
#include <gantry/codec.hpp>
#include <gantry/contracts/llm.hpp>

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
GANTRY_INSTANTIATE(gantry::agent_ws::QueryAccepted)
GANTRY_INSTANTIATE(gantry::agent_ws::TextPayload)
GANTRY_INSTANTIATE(gantry::agent_ws::LlmThought)
GANTRY_INSTANTIATE(gantry::agent_ws::StreamingComplete)
GANTRY_INSTANTIATE(gantry::agent_ws::ErrorPayload)
GANTRY_INSTANTIATE(gantry::agent_ws::ToolCallPayload)
GANTRY_INSTANTIATE(gantry::agent_ws::ToolBundlePayload)
GANTRY_INSTANTIATE(gantry::agent_ws::ToolOutputPayload)
GANTRY_INSTANTIATE(gantry::agent_ws::ToolOutputMetadata)
GANTRY_INSTANTIATE(gantry::agent_ws::WebSearchProgress)
GANTRY_INSTANTIATE(gantry::agent_ws::SystemPromptPayload)
GANTRY_INSTANTIATE(gantry::agent_ws::UserMessageFull)
GANTRY_INSTANTIATE(gantry::agent_ws::AssistantMessageFull)
GANTRY_INSTANTIATE(gantry::agent_ws::ToolSchemas)
GANTRY_INSTANTIATE(gantry::agent_ws::TokenCount)
GANTRY_INSTANTIATE(gantry::agent_ws::CompactionStartedPayload)
GANTRY_INSTANTIATE(gantry::agent_ws::CompactionCompletedPayload)
GANTRY_INSTANTIATE(gantry::agent_ws::CompactionFailedPayload)
GANTRY_INSTANTIATE(gantry::agent_ws::ModelHistoryOutRow)
GANTRY_INSTANTIATE(std::vector<gantry::agent_ws::PromptMessage>)
GANTRY_INSTANTIATE(gantry::agent_ws::PlannedPayload)
GANTRY_INSTANTIATE(gantry::agent_ws::PlannedQuery)
GANTRY_INSTANTIATE(gantry::agent_ws::ModelHistoryUpdated)
GANTRY_INSTANTIATE(gantry::agent_ws::TraceEvent)
GANTRY_INSTANTIATE(gantry::agent_ws::StopQueryAck)
GANTRY_INSTANTIATE(gantry::agent_ws::SettingsLoaded)
GANTRY_INSTANTIATE(gantry::agent_ws::SettingsUpdated)
GANTRY_INSTANTIATE(gantry::agent_ws::WakewordActivated)
GANTRY_INSTANTIATE(gantry::agent_ws::RemoteToolCatalog)
