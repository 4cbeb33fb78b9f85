// SPDX-License-Identifier: Apache-2.0
#include "observer_source.hpp"

#include <chrono>
#include <utility>

#include "observer_prompts.hpp"
#include "observer_resources.hpp"
#include "observer_run.hpp"
#include "observer_tools.hpp"

namespace gantry::mcp {
namespace {

constexpr auto kToolTimeout = std::chrono::minutes(10);

}  // namespace

CallHandle ObserverSource::ask(ObserverToolRequest request, ObserverAnswer done) {
  CallOptions options;
  options.timeout = kToolTimeout;
  return host_.bus().call<ObserverTool>(
      std::move(request),
      [done = std::move(done)](Result<Ref<ObserverToolResult>> result) {
        if (result.ok()) {
          done(ObserverToolResult(**result));
        } else {
          done(std::move(result).error());
        }
      },
      options);
}

void ObserverSource::list_tools(Done<std::vector<ToolDescription>> done) {
  host_.bus().call<ObserverTools>({}, [self = shared_from_this(), done = std::move(done)](
                                          Result<Ref<ObserverToolNames>> names) {
    if (!names.ok()) return done(names.error());
    std::vector<ToolDescription> tools;
    self->schemas_.clear();
    for (const ObserverToolDescription& tool : (*names)->described) {
      self->schemas_.emplace(tool.name, tool.input_schema.text);
      tools.push_back(describe_tool(tool));
    }
    done(std::move(tools));
  });
}

bool ObserverSource::takes(std::string_view tool, std::string_view argument) const {
  const auto schema = schemas_.find(tool);
  return schema != schemas_.end() &&
         schema->second.find("\"" + std::string(argument) + "\":{") != std::string::npos;
}

std::shared_ptr<Run> ObserverSource::run_tool(ToolCallRequest request, ToolEvents events) {
  return start_observer_run(shared_from_this(), std::move(request), std::move(events));
}

void ObserverSource::list_resources(Done<std::vector<ResourceDescription>> done) {
  list_observer_resources(*this, std::move(done));
}

void ObserverSource::list_templates(Done<std::vector<ResourceTemplate>> done) {
  done(observer_templates());
}

void ObserverSource::read_resource(ResourceReadRequest request, Done<ResourceContents> done) {
  read_observer_resource(*this, request, std::move(done));
}

void ObserverSource::list_prompts(Done<std::vector<PromptDescription>> done) {
  done(observer_prompts());
}

std::shared_ptr<Run> ObserverSource::get_prompt(PromptRequest request, PromptEvents events) {
  return write_observer_prompt(host_, std::move(request), std::move(events));
}

void ObserverSource::complete(CompletionRequest request, Done<Completions> done) {
  complete_observer(*this, request, std::move(done));
}

}  // namespace gantry::mcp
