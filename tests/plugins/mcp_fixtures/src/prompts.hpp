// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gantry/contracts/prompt.hpp>
#include <gantry/result.hpp>

#include <vector>

#include "run.hpp"
#include "world.hpp"

namespace gantry::mcp_fixtures {

struct PromptFixture {
  PromptDescription description;
  PromptSteps steps;
};

/// All prompts in the order in which they are listed.
std::vector<PromptFixture> prompt_fixtures(const World& world);

/// Errors: not_found.
Result<Completions> complete(const CompletionRequest& request);

}  // namespace gantry::mcp_fixtures
