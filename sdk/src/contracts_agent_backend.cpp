// SPDX-License-Identifier: Apache-2.0
#include <gantry/codec.hpp>
#include <gantry/contracts/agent_backend.hpp>

GANTRY_INSTANTIATE(gantry::AgentPlanRequest)
GANTRY_INSTANTIATE(gantry::AgentPlanned)
GANTRY_INSTANTIATE(gantry::AgentModelsRequest)
GANTRY_INSTANTIATE(gantry::AgentModelRows)
