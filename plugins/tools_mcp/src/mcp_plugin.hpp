// SPDX-License-Identifier: Apache-2.0
#pragma once
// The plugin: servers from the configuration, their tools under their names, the end.

#include <gantry/plugin.hpp>
#include <gantry/tools/tool_server.hpp>

#include <memory>
#include <string>
#include <vector>

#include "http_link.hpp"
#include "program_link.hpp"
#include "server.hpp"
#include "settings.hpp"

namespace gantry::tools_mcp {

class McpToolsPlugin final : public Plugin {
 public:
  explicit McpToolsPlugin(Host& host) : Plugin(host), tools_(host) {}

  Result<void> init() override;
  Result<void> start() override;
  void stop(Deadline deadline) override;

 private:
  [[nodiscard]] Server::MakeLink link_maker(const std::string& name,
                                            const ServerSettings& settings);
  void offer();
  void one_settled();

  Settings settings_;
  tools::ToolServer tools_;
  std::vector<std::shared_ptr<Server>> servers_;  // in the order of their names
  std::shared_ptr<EndingPrograms> ending_ = std::make_shared<EndingPrograms>();
  std::size_t unsettled_ = 0;
  Timer list_wait_;
};

}  // namespace gantry::tools_mcp
