// SPDX-License-Identifier: Apache-2.0
#include "tool_registry.hpp"

#include <gantry/contracts/kernel.hpp>
#include <gantry/contracts/observe.hpp>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "text.hpp"

namespace gantry::agent {
namespace {

struct CapabilityRow {
  std::string_view tool;
  std::string_view capability;
};
/// What clients can switch off by capability (agent_definition.tools.disabled_capabilities).
constexpr std::array<CapabilityRow, 5> kCapabilities{{{"web_search", "web_search"},
                                                      {"browser", "browser"},
                                                      {"get_ocr", "ocr"},
                                                      {"read_text_on_screen", "ocr"},
                                                      {"find_on_screen", "vision"}}};

std::string capability_of(std::string_view tool) {
  const auto* const row =
      std::find_if(kCapabilities.begin(), kCapabilities.end(),
                   [tool](const CapabilityRow& one) { return one.tool == tool; });
  return row == kCapabilities.end() ? std::string() : std::string(row->capability);
}

/// Recordings, traces and scenarios are for people who test, not for an agent at work.
constexpr std::array<std::string_view, 5> kNotForAgents{"replay_*", "trace_*", "load_scenario",
                                                        "propose_action", "assert_state"};

AgentTool questionnaire_tool() {
  AgentTool tool;
  tool.name = kQuestionnaireTool;
  tool.description =
      "Ask the user one or more questions and wait for the answers. Use it when something "
      "that only the user knows decides what to do next.";
  tool.schema = Json(
      R"({"type":"object","properties":{"title":{"type":"string"},"description":{"type":"string"},)"
      R"("questions":{"type":"array","minItems":1,"items":{"type":"object","properties":{"id":)"
      R"({"type":"string"},"question":{"type":"string"},"type":{"type":"string","enum":["single",)"
      R"("multiple","text","textarea"]},"options":{"type":"array","items":{"type":"object",)"
      R"("properties":{"value":{"type":"string"},"label":{"type":"string"},"description":{"type":)"
      R"("string"}},"required":["value","label"]}}},"required":["id","question","type"]}}},)"
      R"("required":["questions"]})");
  tool.plugin = kOwnPlugin;
  return tool;
}

}  // namespace

struct ToolRegistry::Search {
  std::map<std::string, AgentTool> tools;                     // by name
  std::map<std::string, std::vector<ToolDescription>> lists;  // by plugin
  std::size_t open = 0;
  std::vector<std::function<void(std::shared_ptr<const ToolSet>)>> waiting;
};

void ToolRegistry::find(std::function<void(std::shared_ptr<const ToolSet>)> found) {
  if (known_) return found(known_);
  if (searching_) return searching_->waiting.push_back(std::move(found));
  searching_ = std::make_shared<Search>();
  searching_->waiting.push_back(std::move(found));
  const ContextScope scope = store_.detach();
  host_.bus().call<KernelContracts>(
      {}, [this, search = searching_](const Result<Ref<ContractInfoList>>& contracts) {
        std::vector<std::string> plugins;
        bool observer = false;
        if (contracts.ok()) {
          for (const ContractInfo& contract : (*contracts)->contracts) {
            if (contract.name == ToolRun::kName) plugins = contract.providers;
            if (contract.name == ObserverTools::kName) observer = !contract.providers.empty();
          }
        }
        search->open = plugins.size() + (observer ? 1 : 0) + 1;
        for (const std::string& plugin : plugins) ask(search, plugin);
        if (observer) ask_observer(search);
        one_done(search);
      });
}

void ToolRegistry::ask(const std::shared_ptr<Search>& search, const std::string& plugin) {
  CallOptions options;
  options.target = plugin;
  host_.bus().call<ToolList>(
      {},
      [this, search, plugin](const Result<Ref<ToolDescriptions>>& list) {
        if (list.ok()) {
          search->lists[plugin] = (*list)->tools;
        } else {
          host_.log().warn("the tools of a plugin are not known",
                           {{"plugin", plugin}, {"reason", list.error().message}});
        }
        one_done(search);
      },
      options);
}

void ToolRegistry::ask_observer(const std::shared_ptr<Search>& search) {
  host_.bus().call<ObserverTools>({}, [this, search](const Result<Ref<ObserverToolNames>>& names) {
    if (names.ok()) {
      auto& list = search->lists[kObserverPlugin];
      for (const ObserverToolDescription& tool : (*names)->described) {
        ToolDescription described;
        described.name = tool.name;
        described.description = tool.doc;
        described.input_schema = tool.input_schema;
        described.read_only = tool.kind != "act";
        described.open_world = false;
        described.listed =
            std::none_of(kNotForAgents.begin(), kNotForAgents.end(),
                         [&](std::string_view pattern) { return fits(pattern, tool.name); });
        list.push_back(std::move(described));
      }
    }
    one_done(search);
  });
}

void ToolRegistry::one_done(const std::shared_ptr<Search>& search) {
  if (--search->open != 0) return;
  // In the order of the plugins' names: the first keeps a name that two use.
  for (const auto& [plugin, list] : search->lists) {
    for (const ToolDescription& tool : list) add(*search, plugin, tool);
  }
  const AgentTool asks = questionnaire_tool();
  search->tools.emplace(asks.name, asks);
  auto tools = std::make_shared<ToolSet>();
  for (auto& [name, tool] : search->tools) tools->push_back(std::move(tool));
  known_ = tools;
  searching_.reset();
  for (const auto& found : search->waiting) found(tools);
}

void ToolRegistry::add(Search& search, const std::string& plugin,
                       const ToolDescription& tool) const {
  if (!tool.listed) return;
  AgentTool out;
  out.name = tool.name;
  out.description = tool.description;
  out.schema = tool.input_schema;
  out.plugin = plugin;
  out.kind = class_of(tool);
  out.capability = capability_of(tool.name);
  out.reason = tool.unavailable;
  search.tools.emplace(tool.name, std::move(out));
}

ToolClass ToolRegistry::class_of(const ToolDescription& tool) const {
  const auto& commands = settings_.tools.execute;
  if (std::any_of(commands.begin(), commands.end(),
                  [&](const std::string& pattern) { return fits(pattern, tool.name); })) {
    return ToolClass::Execute;
  }
  if (!tool.read_only) return ToolClass::Act;
  return tool.open_world ? ToolClass::Network : ToolClass::Read;
}

}  // namespace gantry::agent
