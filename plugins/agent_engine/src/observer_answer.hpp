// SPDX-License-Identifier: Apache-2.0
#pragma once
// The observer's answers as results of tools, and its way of confirming an act. Pure functions.

#include <gantry/contracts/observe.hpp>
#include <gantry/contracts/tool.hpp>

#include <optional>

namespace gantry::agent {

/// Pictures in the answer become image blocks; the text keeps the rest.
[[nodiscard]] ToolResult observer_answer(const ObserverToolResult& result);

/// Arguments of propose_action for this call.
[[nodiscard]] Json proposal_of(const ToolCallRequest& request);
/// The call's arguments with the token of the proposal; empty when it has none.
[[nodiscard]] std::optional<Json> confirmed_arguments(const ToolCallRequest& request,
                                                      const ObserverToolResult& proposal);

}  // namespace gantry::agent
