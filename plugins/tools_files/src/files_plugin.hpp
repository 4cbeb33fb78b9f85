// SPDX-License-Identifier: Apache-2.0
#pragma once
// The plugin: configuration, and serving the tools from the blocking pool.

#include <gantry/plugin.hpp>
#include <gantry/tools/tool_server.hpp>

#include <memory>

#include "file_tools.hpp"

namespace gantry::files {

class FilesPlugin final : public Plugin {
 public:
  explicit FilesPlugin(Host& host) : Plugin(host), server_(host) {}

  Result<void> init() override;
  Result<void> start() override;
  Result<void> reconfigure() override;
  void stop(Deadline) override { server_.stop(); }

 private:
  template <class Arguments>
  using Function = Result<ToolResult> (*)(const Roots&, const Work&, const Arguments&);
  template <class Arguments>
  tools::Tool tool(ToolDescription description, Function<Arguments> function);

  tools::ToolServer server_;
  std::shared_ptr<const Settings> settings_;
};

}  // namespace gantry::files
