// SPDX-License-Identifier: Apache-2.0
#pragma once
// How much one answer of a model may ask for. Pure. Source: agent contract 2.13 (parser limits).

#include <gantry/contracts/llm.hpp>
#include <gantry/contracts/turn.hpp>

#include <cstddef>
#include <string>

namespace gantry::agent {

/// Levels of a call's arguments.
inline constexpr std::size_t kDeepestArguments = 100;

/// Why a call is too much, for the model; empty: it is not. `before` calls of the same answer came
/// before it; `by_client`: a client runs it, which may take less than the daemon's own tools do.
[[nodiscard]] std::string limit_problem(const LlmToolCall& call, std::size_t before,
                                        bool by_client);

}  // namespace gantry::agent
