// SPDX-License-Identifier: Apache-2.0
#include "engine_plugin.hpp"

GANTRY_PLUGIN(gantry::agent::AgentEngine, "agent_engine", "0.1.0")
