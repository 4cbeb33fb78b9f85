// SPDX-License-Identifier: Apache-2.0
#include <gantry/codec.hpp>
#include <gantry/contracts/tool.hpp>

GANTRY_INSTANTIATE(gantry::ToolDescriptions)
GANTRY_INSTANTIATE(gantry::ToolCallRequest)
GANTRY_INSTANTIATE(gantry::ToolUpdate)
GANTRY_INSTANTIATE(gantry::ToolsChangedEvent)
