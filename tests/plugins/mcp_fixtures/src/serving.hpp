// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gantry/host.hpp>
#include <gantry/result.hpp>

#include "run.hpp"
#include "world.hpp"

namespace gantry::mcp_fixtures {

/// Serves the fixtures by the contracts for tools, resources and prompts. On the plugin's strand.
class Serving {
 public:
  explicit Serving(Host& host);

  Result<void> serve();
  /// Tells that the lists are there.
  void announce();
  void stop();

 private:
  Result<void> serve_tools();
  Result<void> serve_resources();
  Result<void> serve_prompts();

  Host& host_;
  World world_;
  Runs<ToolCallRequest, ToolUpdate> tool_runs_;
  Runs<PromptRequest, PromptUpdate> prompt_runs_;
};

}  // namespace gantry::mcp_fixtures
