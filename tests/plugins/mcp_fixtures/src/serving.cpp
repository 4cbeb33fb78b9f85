// SPDX-License-Identifier: Apache-2.0
#include "serving.hpp"

#include <gantry/contracts/resource.hpp>

#include <utility>

#include "prompts.hpp"
#include "resources.hpp"
#include "tools.hpp"

namespace gantry::mcp_fixtures {

Serving::Serving(Host& host) : host_(host), tool_runs_(host), prompt_runs_(host) {
  world_.tools_changed = [this] { host_.bus().publish<ToolsChanged>({host_.name()}); };
  world_.prompts_changed = [this] { host_.bus().publish<PromptsChanged>({host_.name()}); };
}

Result<void> Serving::serve() {
  GANTRY_TRY(serve_tools());
  GANTRY_TRY(serve_resources());
  return serve_prompts();
}

void Serving::announce() {
  world_.tools_changed();
  world_.prompts_changed();
  host_.bus().publish<ResourceChanged>({host_.name(), {}});
}

void Serving::stop() {
  tool_runs_.clear();
  prompt_runs_.clear();
}

Result<void> Serving::serve_tools() {
  GANTRY_TRY(host_.bus().serve<ToolList>([this](const Nothing&) -> Result<ToolDescriptions> {
    ToolDescriptions out;
    for (auto& tool : tool_fixtures(world_)) out.tools.push_back(std::move(tool.description));
    return out;
  }));
  return host_.bus().serve_stream<ToolRun>(
      [this](const Ref<ToolCallRequest>& request, const CallInfo&,
             Stream<ToolUpdate> down) -> Result<StreamHandlers<AskAnswer>> {
        for (auto& tool : tool_fixtures(world_)) {
          if (tool.description.name != request->name) continue;
          return tool_runs_.begin(request, std::move(down), std::move(tool.steps));
        }
        return not_found("there is no tool '" + request->name + "'");
      });
}

Result<void> Serving::serve_resources() {
  GANTRY_TRY(host_.bus().serve<ResourceList>(
      [](const Nothing&) -> Result<ResourceDescriptions> { return resource_descriptions(); }));
  GANTRY_TRY(host_.bus().serve<ResourceTemplateList>(
      [](const Nothing&) -> Result<ResourceTemplates> { return resource_templates(); }));
  return host_.bus().serve<ResourceRead>(
      [](const ResourceReadRequest& request) { return read_resource(request.uri); });
}

Result<void> Serving::serve_prompts() {
  GANTRY_TRY(host_.bus().serve<PromptList>([this](const Nothing&) -> Result<PromptDescriptions> {
    PromptDescriptions out;
    for (auto& prompt : prompt_fixtures(world_)) {
      out.prompts.push_back(std::move(prompt.description));
    }
    return out;
  }));
  GANTRY_TRY(host_.bus().serve<Complete>(
      [](const CompletionRequest& request) { return complete(request); }));
  return host_.bus().serve_stream<PromptGet>(
      [this](const Ref<PromptRequest>& request, const CallInfo&,
             Stream<PromptUpdate> down) -> Result<StreamHandlers<AskAnswer>> {
        for (auto& prompt : prompt_fixtures(world_)) {
          if (prompt.description.name != request->name) continue;
          return prompt_runs_.begin(request, std::move(down), std::move(prompt.steps));
        }
        return not_found("there is no prompt '" + request->name + "'");
      });
}

}  // namespace gantry::mcp_fixtures
