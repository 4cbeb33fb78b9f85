// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the guard is told of a call.

#include <gantry/contracts/guard.hpp>

#include <string>
#include <string_view>
#include <vector>

#include "engine.hpp"

namespace gantry::observation {

/// Everything but the targets.
[[nodiscard]] GuardAdmitRequest admit_request(const ToolCall& call, GuardStage stage);
[[nodiscard]] GuardSettleRequest settle_request(const Settlement& settlement);
/// Unredacted: rules are judged on what is there.
[[nodiscard]] std::vector<GuardedTarget> guarded(const Engine& engine,
                                                 const std::vector<GateTarget>& targets);
[[nodiscard]] Failure failure_of(const GuardVerdict& verdict);

/// Tools whose permission this one needs too: its verb, the verb's verb, and observe_window when
/// it looks afterwards.
[[nodiscard]] std::vector<std::string> needed_tools(const Tool& tool);
/// "sha256:" of the arguments that say what is done. Those that name the target (it is bound as it
/// was resolved), ask for a dry run, carry the token or say what is observed afterwards are left
/// out.
[[nodiscard]] std::string arguments_digest(const Arguments& arguments);
/// The caller without the port of its connection: "rest:127.0.0.1:5001" is "rest:127.0.0.1".
[[nodiscard]] std::string session_of(std::string_view caller);

}  // namespace gantry::observation
