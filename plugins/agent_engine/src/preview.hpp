// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a turn would send, without sending it. Pure.

#include <gantry/contracts/turn.hpp>

#include "prompt.hpp"
#include "tool_registry.hpp"

namespace gantry::agent {

struct Core;

/// The parts of a turn that stay the same while it runs.
[[nodiscard]] Frame frame_of(const Core& core, const TurnOptions& options,
                             const std::vector<AgentTool>& judged, ChosenModel model,
                             const History& history);
/// The keys of providers that come with a turn.
[[nodiscard]] std::vector<LlmCredential> credentials_of(const TurnOptions& options);
/// The user's message as the model reads it.
[[nodiscard]] std::string user_text(const TurnStartRequest& request);

[[nodiscard]] TurnPreviewed preview_turn(const Core& core, const TurnStartRequest& request,
                                         const ToolSet& tools, const Result<ChosenModel>& model,
                                         const History& history);

}  // namespace gantry::agent
