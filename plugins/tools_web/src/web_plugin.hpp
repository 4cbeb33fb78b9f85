// SPDX-License-Identifier: Apache-2.0
#pragma once
// The plugin: configuration, serving, health, the end.

#include <gantry/plugin.hpp>
#include <gantry/tools/tool_server.hpp>

#include "web_tools.hpp"

namespace gantry::web {

class WebPlugin : public Plugin {
 public:
  explicit WebPlugin(Host& host) : WebPlugin(host, system_lookup()) {}
  /// For tests: names have the addresses that `lookup` says.
  WebPlugin(Host& host, Lookup lookup)
      : Plugin(host), server_(host), tools_(host, std::move(lookup)) {}

  Result<void> init() override;
  Result<void> start() override;
  Result<void> reconfigure() override;
  void stop(Deadline deadline) override;

 private:
  Result<void> take_settings();

  tools::ToolServer server_;
  WebTools tools_;
};

}  // namespace gantry::web
