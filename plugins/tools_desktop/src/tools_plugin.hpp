// SPDX-License-Identifier: Apache-2.0
#pragma once
// The plugin: lists the tools and runs them. Everything on its strand.

#include <gantry/plugin.hpp>
#include <gantry/task.hpp>
#include <gantry/tools/tool_server.hpp>

#include <memory>
#include <vector>

#include "run.hpp"
#include "tools.hpp"

namespace gantry::desk {

class ToolsPlugin final : public Plugin {
 public:
  explicit ToolsPlugin(Host& host) : Plugin(host), desk_(host), server_(host) {}

  Result<void> init() override;
  Result<void> start() override;
  Result<void> reconfigure() override;
  void stop(Deadline) override;

 private:
  void run(const Tool& tool, const tools::CallPtr& call);
  void wake_all();

  Desk desk_;
  tools::ToolServer server_;
  std::vector<std::shared_ptr<Run>> runs_;  ///< That have not ended.
  Subscription windows_;
  Subscription ends_;
  RunningTasks running_;  ///< Last: what it holds at the end refers to everything above.
};

}  // namespace gantry::desk
