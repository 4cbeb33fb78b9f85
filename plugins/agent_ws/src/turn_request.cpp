// SPDX-License-Identifier: Apache-2.0
#include "turn_request.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "model_rows.hpp"

namespace gantry::agent_ws {
namespace {

constexpr std::string_view kBrowser = "browser";

std::vector<ClientTool> client_tools(const ManifestReport& manifest) {
  std::vector<ClientTool> out;
  for (const AcceptedTool& tool : manifest.accepted) {
    if (!tool.by_client()) continue;
    ClientTool made;
    made.name = tool.name;
    made.description = tool.description;
    made.schema = tool.model_schema;
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
    options.coordinate_methods = runtime.coordinate_methods.value_or(std::vector<std::string>());
  }
  if (query.workspace_path) options.workspace_path = *query.workspace_path;
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
  options.client_tools = client_tools(scope.manifest);
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
