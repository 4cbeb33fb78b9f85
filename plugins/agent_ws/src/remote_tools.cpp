// SPDX-License-Identifier: Apache-2.0
#include "remote_tools.hpp"

#include <algorithm>

#include "json_field.hpp"

namespace gantry::agent_ws {
namespace {

constexpr const char* kWebSearch = "web_search";
constexpr std::string_view kNotListed =
    "not offered on this protocol (cure: add it to agent_ws.daemon_tools)";
constexpr std::string_view kNobodyServes =
    "no plugin that serves this tool is running (cure: enable and configure one)";

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Names, web_search first; patterns name no tool.
std::vector<std::string> listed_names(const std::vector<std::string>& allowed) {
  std::vector<std::string> names{kWebSearch};
  for (const std::string& name : allowed) {
    if (name.find('*') == std::string::npos && !contains(names, name)) names.push_back(name);
  }
  return names;
}

RemoteTool row_of(const AgentTool& tool) {
  RemoteTool row{tool.name, tool.description, tool.offered, tool.offered, Json()};
  if (!tool.offered) row.reason_unavailable = json_text_or_null(tool.reason);
  return row;
}

}  // namespace

RemoteToolCatalog remote_tools(const std::vector<std::string>& allowed,
                               const std::vector<AgentTool>& tools) {
  RemoteToolCatalog catalog;
  const std::vector<std::string> names = listed_names(allowed);
  for (const std::string& name : names) {
    const auto found = std::find_if(tools.begin(), tools.end(), [&name](const AgentTool& tool) {
      return tool.name == name && tool.place == ToolPlace::Daemon;
    });
    if (found != tools.end()) {
      catalog.remote_tools.push_back(row_of(*found));
      continue;
    }
    const bool on_list = contains(allowed, name);
    catalog.remote_tools.push_back({name, name == kWebSearch ? "Search the web." : "", on_list,
                                    false, json_text(on_list ? kNobodyServes : kNotListed)});
  }
  for (const AgentTool& tool : tools) {  // those that only a pattern names
    if (tool.place == ToolPlace::Daemon && tool.offered && !contains(names, tool.name)) {
      catalog.remote_tools.push_back(row_of(tool));
    }
  }
  return catalog;
}

RemoteToolCatalog no_remote_tools(const std::vector<std::string>& allowed,
                                  const std::string& reason) {
  RemoteToolCatalog catalog = remote_tools(allowed, {});
  for (RemoteTool& tool : catalog.remote_tools) tool.reason_unavailable = json_text(reason);
  return catalog;
}

}  // namespace gantry::agent_ws
