// SPDX-License-Identifier: Apache-2.0
#include "turn_request.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "model_rows.hpp"

namespace gantry::agent_ws {
namespace {

constexpr std::string_view kBrowser = "browser";

/// A way of finding coordinates, and the capability that it needs.
struct CoordinateMethod {
  std::string_view name;
  std::string_view capability;
};
constexpr std::array<CoordinateMethod, 3> kCoordinateMethods{
    {{"manual", ""}, {"ocr", "ocr"}, {"prediction", "vision"}}};

bool lists(const std::optional<std::vector<std::string>>& list, std::string_view word) {
  return list && std::find(list->begin(), list->end(), word) != list->end();
}

/// The ways that a definition leaves, in the order of the wire.
std::vector<std::string> coordinate_methods(const AgentDefinition* definition) {
  std::vector<std::string> out;
  for (const CoordinateMethod& method : kCoordinateMethods) {
    const bool named = definition == nullptr || !definition->runtime ||
                       !definition->runtime->coordinate_methods ||
                       lists(definition->runtime->coordinate_methods, method.name);
    const bool disabled = definition != nullptr && definition->tools &&
                          lists(definition->tools->disabled_capabilities, method.capability);
    if (named && !disabled) out.emplace_back(method.name);
  }
  return out;
}

/// A tool that must be pointed with is not offered where no way of pointing is left.
std::vector<ClientTool> client_tools(const QueryScope& scope) {
  const bool can_point = !coordinate_methods(scope.definition).empty();
  std::vector<ClientTool> out;
  for (const AcceptedTool& tool : scope.manifest.accepted) {
    if (!tool.by_client() || (tool.is_grounded() && !can_point)) continue;
    ClientTool made;
    made.name = tool.name;
    made.description = tool.description;
    made.schema = tool.model_schema;
    made.grounded = tool.is_grounded();
    if (tool.name == kBrowser) made.capability = kBrowser;
    out.push_back(std::move(made));
  }
  return out;
}

void add_layers(std::vector<PromptLayer>& out, const std::vector<PromptLayerInput>& layers) {
  for (const PromptLayerInput& layer : layers) out.push_back({layer.id, layer.type, layer.content});
}

std::vector<PromptLayer> prompt_layers(const QueryScope& scope, const QueryPayload& query) {
  std::vector<PromptLayer> out;
  if (query.repo_instruction_messages) {
    for (const RepoInstructionMessage& message : *query.repo_instruction_messages) {
      out.push_back({fmt::format("repo_instructions_{}", out.size()), "", message.content});
    }
  }
  AgentDefinition layered;
  if (scope.definition != nullptr) layered = *scope.definition;
  if (query.client_prompt_layers) {
    auto& layers = layered.prompt_layers ? *layered.prompt_layers : layered.prompt_layers.emplace();
    layers.insert(layers.end(), query.client_prompt_layers->begin(),
                  query.client_prompt_layers->end());
  }
  add_layers(out, ordered_layers(layered));
  return out;
}

void apply_runtime(const QueryScope& scope, const QueryPayload& query, TurnOptions& options) {
  if (scope.definition != nullptr && scope.definition->runtime) {
    const RuntimeInput& runtime = *scope.definition->runtime;
    options.operating_system = runtime.operating_system.value_or("");
    options.workspace_path = runtime.workspace_path.value_or("");
  }
  if (query.workspace_path) options.workspace_path = *query.workspace_path;
  if (query.capture_meta) options.capture = *query.capture_meta;
  options.coordinate_methods = coordinate_methods(scope.definition);
  if (options.coordinate_methods.size() == kCoordinateMethods.size()) {
    options.coordinate_methods.clear();  // all
  }
}

}  // namespace

ToolPolicy tool_policy(const QueryScope& scope) {
  ToolPolicy policy;
  policy.daemon_tools = scope.settings.daemon_tools;
  apply_approvals(scope.settings.approvals, policy);
  if (scope.definition != nullptr) {
    policy.allow = allowed_tools(*scope.definition, scope.manifest.names());
    if (const auto& tools = scope.definition->tools) {
      policy.deny = tools->disabled_tools.value_or(std::vector<std::string>());
      policy.disabled_capabilities =
          tools->disabled_capabilities.value_or(std::vector<std::string>());
    }
  }
  if (!scope.client.values().browser_automation_enabled) {
    policy.disabled_capabilities.emplace_back(kBrowser);
    policy.deny.emplace_back(kBrowser);
  }
  return policy;
}

TurnOptions turn_options(const QueryScope& scope, const QueryPayload& query) {
  TurnOptions options;
  const SettingDefaults& values = scope.client.values();
  options.model = engine_model(values.model_provider, values.selected_model_id);
  options.mode = values.interaction_mode;
  options.client_tools = client_tools(scope);
  options.tools = tool_policy(scope);
  options.layers = prompt_layers(scope, query);
  if (scope.definition != nullptr) {
    std::string replaced = replaced_system_prompt(*scope.definition);
    if (!replaced.empty()) options.system_prompt = std::move(replaced);
  }
  apply_runtime(scope, query, options);
  options.provider_keys = scope.client.provider_keys();
  options.transparency = true;
  options.linger_ms = scope.settings.linger;
  options.waits = scope.settings.wait_for_place;
  return options;
}

std::vector<std::string> screenshot_refs(const QueryPayload& query) {
  std::vector<std::string> out;
  const auto add = [&out](const std::string& ref) {
    if (!ref.empty() && std::find(out.begin(), out.end(), ref) == out.end()) out.push_back(ref);
  };
  if (query.screenshot_ref) add(*query.screenshot_ref);
  if (query.screenshot_refs) {
    for (const std::string& ref : *query.screenshot_refs) add(ref);
  }
  return out;
}

}  // namespace gantry::agent_ws
