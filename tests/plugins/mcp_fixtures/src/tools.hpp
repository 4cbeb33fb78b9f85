// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gantry/contracts/tool.hpp>

#include <optional>
#include <string>
#include <vector>

#include "run.hpp"
#include "world.hpp"

namespace gantry::mcp_fixtures {

struct ToolFixture {
  ToolDescription description;
  ToolSteps steps;
};

/// A tool without side effects; its schema is JSON text.
ToolFixture tool_fixture(const char* name, const char* description, const char* schema,
                         ToolSteps steps);

/// The step that ends a tool with blocks of content.
Say<ToolCallRequest, ToolUpdate> answer(
    std::function<std::vector<ContentBlock>(const ToolScene&)> content);

/// Ends the run when the client lacks an ability; `name` is the member of ClientAbilities.
Refuse<ToolCallRequest> need(bool ClientAbilities::*ability, const char* name);

/// All tools in the order in which they are listed. `world` must outlive the fixtures.
std::vector<ToolFixture> tool_fixtures(World& world);

/// Those of them that ask the client meanwhile.
std::vector<ToolFixture> asking_tool_fixtures();

}  // namespace gantry::mcp_fixtures
