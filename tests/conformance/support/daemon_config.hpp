// SPDX-License-Identifier: Apache-2.0
#pragma once
// Configurations of daemons under test, as YAML.
#include <filesystem>
#include <map>
#include <string>

namespace gantry::conformance {

/// Flow maps by plugin ("store" → "{path: x}"); a plugin with "-" is left out.
using FlowConfig = std::map<std::string, std::string>;

/// Puts a member first into a plugin's flow map.
inline void add_member(FlowConfig& config, const std::string& plugin, const std::string& member) {
  std::string& flow = config.try_emplace(plugin, "{}").first->second;
  if (flow != "-") flow = "{" + member + (flow == "{}" ? "" : ", ") + flow.substr(1);
}

inline std::string quoted_path(const std::filesystem::path& path) {
  return '"' + path.string() + '"';
}

inline std::string plugins_text(const FlowConfig& config) {
  std::string text = "plugins:\n";
  for (const auto& [plugin, flow] : config) {
    if (flow != "-") text += "  " + plugin + ": {config: " + flow + "}\n";
  }
  return text;
}

}  // namespace gantry::conformance
