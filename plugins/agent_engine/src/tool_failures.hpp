// SPDX-License-Identifier: Apache-2.0
#pragma once
// Calls of tools that failed, under the codes of the agent backend's published text. Strand only.

#include <gantry/contracts/turn.hpp>
#include <gantry/host.hpp>

namespace gantry::agent {

/// Counts and logs a result that is an error; what tools say stays out of the log.
void count_failure(Host& host, const ToolResultBody& result);

}  // namespace gantry::agent
