// SPDX-License-Identifier: Apache-2.0
#include "settings.hpp"

#include <gantry/codec.hpp>

GANTRY_INSTANTIATE(gantry::tools_mcp::Settings)

namespace gantry::tools_mcp {

Result<Settings> read_settings(std::string_view json) {
  GANTRY_ASSIGN(Settings settings, from_json<Settings>(json));
  for (const auto& [name, server] : settings.servers) {
    if (server.command.empty() != server.url.empty()) continue;
    return invalid_argument("servers." + name + " needs either a command or a url");
  }
  return settings;
}

}  // namespace gantry::tools_mcp
