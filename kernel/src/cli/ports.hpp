// SPDX-License-Identifier: Apache-2.0
// Which TCP ports a plan wants, as far as the configuration says it: integer keys named "port" or
// ending in "_port".
#pragma once

#include <string>
#include <vector>

#include "plugin/plan.hpp"

namespace gantry::cli {

struct WantedPort {
  std::string plugin;
  std::string path;      ///< "plugins.x.config.port"
  std::string listener;  ///< the `listener` key beside it, or ""
  std::string host;      ///< the `host` or `bind` key beside it, or ""
  int port = 0;
  config::Origin origin;
};

/// Ports of the plugins that will be opened; 0 (any free port) is left out.
std::vector<WantedPort> wanted_ports(const plugin::Plan& plan);

/// Two plugins on one port, unless they name the same listener, are an error that names both.
void check_ports(const plugin::Plan& plan, config::Diagnostics& diagnostics);

}  // namespace gantry::cli
