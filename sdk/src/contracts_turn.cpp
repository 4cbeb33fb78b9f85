// SPDX-License-Identifier: Apache-2.0
#include <gantry/codec.hpp>
#include <gantry/contracts/turn.hpp>

GANTRY_INSTANTIATE(gantry::TurnStartRequest)
GANTRY_INSTANTIATE(gantry::TurnStarted)
GANTRY_INSTANTIATE(gantry::TurnPreviewed)
GANTRY_INSTANTIATE(gantry::TurnStopRequest)
GANTRY_INSTANTIATE(gantry::StoppedTurns)
GANTRY_INSTANTIATE(gantry::TurnResultsRequest)
GANTRY_INSTANTIATE(gantry::TurnResultsTaken)
GANTRY_INSTANTIATE(gantry::TurnInjectRequest)
GANTRY_INSTANTIATE(gantry::TurnAcceptedBody)
GANTRY_INSTANTIATE(gantry::PromptBuiltBody)
GANTRY_INSTANTIATE(gantry::ModelCallBody)
GANTRY_INSTANTIATE(gantry::UsageBody)
GANTRY_INSTANTIATE(gantry::ToolCallsBody)
GANTRY_INSTANTIATE(gantry::ToolProgressBody)
GANTRY_INSTANTIATE(gantry::ToolResultBody)
GANTRY_INSTANTIATE(gantry::HistoryUpdatedBody)
GANTRY_INSTANTIATE(gantry::ErrorBody)
GANTRY_INSTANTIATE(gantry::TurnFinishedBody)
GANTRY_INSTANTIATE(gantry::AgentToolsRequest)
GANTRY_INSTANTIATE(gantry::AgentToolList)
