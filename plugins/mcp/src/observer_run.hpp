// SPDX-License-Identifier: Apache-2.0
#pragma once
// One call of an observer's tool: its progress, its confirmation, its answer in MCP's form. Strand
// only.

#include <memory>

#include "observer_source.hpp"

namespace gantry::mcp {

[[nodiscard]] std::shared_ptr<Run> start_observer_run(std::shared_ptr<ObserverSource> source,
                                                      ToolCallRequest request, ToolEvents events);

}  // namespace gantry::mcp
