// SPDX-License-Identifier: Apache-2.0
// gantry tools: the observer's tools as the declarations that language models are given, made from
// what the engine says of itself.
#include <gantry/contracts/observe.hpp>

#include <algorithm>
#include <array>
#include <cstdio>

#include "cli/access.hpp"
#include "config/diagnostic.hpp"
#include "config/value.hpp"

namespace gantry::cli {
namespace {

using config::quote_json;

/// One tool as an element of the declaration's array.
std::string openai(const ObserverToolDescription& tool) {
  return "{\"type\":\"function\",\"function\":{\"name\":" + quote_json(tool.name) +
         ",\"description\":" + quote_json(tool.doc) + ",\"parameters\":" + tool.input_schema.text +
         "}}";
}

std::string anthropic(const ObserverToolDescription& tool) {
  return "{\"name\":" + quote_json(tool.name) + ",\"description\":" + quote_json(tool.doc) +
         ",\"input_schema\":" + tool.input_schema.text + "}";
}

std::string mcp(const ObserverToolDescription& tool) {
  // The hints are the protocol's own: a client may ask its user before a tool that is not
  // read-only.
  const bool acts = tool.kind == "act";
  return "{\"name\":" + quote_json(tool.name) + ",\"description\":" + quote_json(tool.doc) +
         ",\"inputSchema\":" + tool.input_schema.text + ",\"annotations\":{\"readOnlyHint\":" +
         (acts || tool.kind == "manage" ? "false" : "true") + "}}";
}

struct Format {
  std::string_view name;
  std::string (*write)(const ObserverToolDescription&);
};
constexpr std::array kFormats{Format{"openai", &openai}, Format{"anthropic", &anthropic},
                              Format{"mcp", &mcp}};

/// The tools that the published text advertises, for programs that were written after it.
constexpr std::array<std::string_view, 9> kPublished{
    "list_windows",      "observe_window", "get_element_tree", "get_screen_description",
    "get_screen_sketch", "get_screenshot", "click_at",         "type_text",
    "press_key"};
constexpr std::string_view kPublishedWord = "published";

/// The named tools in the order in which they were named; all when none is named.
Result<std::vector<const ObserverToolDescription*>> chosen(const ObserverToolNames& tools,
                                                           std::vector<std::string> names) {
  if (names == std::vector<std::string>{std::string(kPublishedWord)}) {
    names.assign(kPublished.begin(), kPublished.end());
  }
  std::vector<const ObserverToolDescription*> out;
  if (names.empty()) {
    for (const auto& tool : tools.described) out.push_back(&tool);
    return out;
  }
  for (const std::string& name : names) {
    const auto found = std::find_if(tools.described.begin(), tools.described.end(),
                                    [&](const auto& tool) { return tool.name == name; });
    if (found == tools.described.end()) {
      return invalid_argument("there is no tool '" + name + "'." +
                              config::did_you_mean(name, tools.tools));
    }
    out.push_back(&*found);
  }
  return out;
}

std::string join_lines(const std::vector<const ObserverToolDescription*>& tools,
                       const Format& format, bool compact) {
  std::string out = "[";
  for (const auto* tool : tools) {
    if (tool != tools.front()) out += ',';
    if (!compact) out += "\n  ";
    out += format.write(*tool);
  }
  return out + (compact ? "]" : "\n]");
}

void print_list(const std::vector<const ObserverToolDescription*>& tools) {
  std::vector<std::vector<std::string>> rows{{"TOOL", "KIND", "WHAT"}};
  for (const auto* tool : tools) rows.push_back({tool->name, tool->kind, tool->doc});
  std::fputs(table(rows).c_str(), stdout);
}

int no_tools(const Error& error) {
  complain(error.message);
  return error.code == Code::InvalidArgument ? static_cast<int>(kUsage) : exit_of(error);
}

}  // namespace

int tools(const Invocation& invocation) {
  const auto* const format = std::find_if(kFormats.begin(), kFormats.end(), [&](const Format& row) {
    return row.name == invocation.format;
  });
  if (!invocation.format.empty() && format == kFormats.end()) {
    complain("--format takes openai, anthropic or mcp, found '" + invocation.format + "'");
    return kUsage;
  }
  auto access = open_access(invocation, Need::kProvider, std::string(ObserverTools::kName));
  if (!access.ok()) return no_tools(access.error());
  const auto found = call_typed<ObserverTools>(**access, {});
  if (!found.ok()) return no_tools(found.error());
  const auto selected = chosen(**found, invocation.arguments);
  if (!selected.ok()) return no_tools(selected.error());
  if (format == kFormats.end() && !invocation.json) {
    print_list(*selected);
    return kOk;
  }
  const Format& writer = format == kFormats.end() ? kFormats.back() : *format;
  std::printf("%s\n", join_lines(*selected, writer, invocation.json).c_str());
  return kOk;
}

}  // namespace gantry::cli
