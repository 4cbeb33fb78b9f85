// SPDX-License-Identifier: Apache-2.0
#pragma once
// How long the result of a client's tool may take. Pure functions. Source: the agent backend's
// deployed behaviour: 120 s; a shell command in the foreground as long as it may run itself and 15
// s more, between 120 s and 900 s; a bundle the sum of its commands, within the same limits.

#include <gantry/contracts/turn.hpp>

#include <cstdint>
#include <vector>

namespace gantry::agent {

/// Milliseconds for one call alone.
[[nodiscard]] std::int64_t client_wait_ms(const ToolCallItem& call, std::int64_t usual_ms);
/// Milliseconds for all of them together.
[[nodiscard]] std::int64_t client_wait_ms(const std::vector<ToolCallItem>& calls,
                                          std::int64_t usual_ms);

}  // namespace gantry::agent
