// SPDX-License-Identifier: Apache-2.0
#pragma once
// Prompts for driving a desktop. Strand only.

#include <gantry/host.hpp>

#include <memory>
#include <vector>

#include "source.hpp"

namespace gantry::mcp {

[[nodiscard]] std::vector<PromptDescription> observer_prompts();
[[nodiscard]] std::shared_ptr<Run> write_observer_prompt(Host& host, PromptRequest request,
                                                         PromptEvents events);

}  // namespace gantry::mcp
