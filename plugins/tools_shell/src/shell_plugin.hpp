// SPDX-License-Identifier: Apache-2.0
#pragma once
// The plugin: configuration, serving, health, the end.

#include <gantry/plugin.hpp>
#include <gantry/tools/tool_server.hpp>

#include "shell_tools.hpp"

namespace gantry::shell {

class ShellPlugin final : public Plugin {
 public:
  explicit ShellPlugin(Host& host) : Plugin(host), server_(host), tools_(host) {}

  Result<void> init() override;
  Result<void> start() override;
  Result<void> reconfigure() override;
  void stop(Deadline deadline) override;

 private:
  void tell_health();

  tools::ToolServer server_;
  ShellTools tools_;
};

}  // namespace gantry::shell
