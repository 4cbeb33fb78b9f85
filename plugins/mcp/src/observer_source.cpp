// SPDX-License-Identifier: Apache-2.0
#include "observer_source.hpp"

#include <gantry/mcp/json_rpc.hpp>

#include <algorithm>
#include <boost/json/parse.hpp>
#include <chrono>
#include <utility>

#include "observer_prompts.hpp"
#include "observer_resources.hpp"
#include "observer_run.hpp"
#include "observer_tools.hpp"
#include "observer_traces.hpp"

namespace gantry::mcp {
namespace {

namespace json = boost::json;

constexpr auto kToolTimeout = std::chrono::minutes(10);

/// Answers with a copy of what the bus shares.
template <class T>
std::function<void(Result<Ref<T>>)> unshared(Done<T> done) {
  return [done = std::move(done)](Result<Ref<T>> result) {
    if (result.ok()) {
      done(T(**result));
    } else {
      done(std::move(result).error());
    }
  };
}

}  // namespace

CallHandle ObserverSource::ask(ObserverToolRequest request, ObserverAnswer done) {
  CallOptions options;
  options.timeout = kToolTimeout;
  return host_.bus().call<ObserverTool>(std::move(request),
                                        unshared<ObserverToolResult>(std::move(done)), options);
}

void ObserverSource::recordings(RecordingListRequest request, Done<RecordingInfos> done) {
  host_.bus().call<RecordingList>(std::move(request), unshared(std::move(done)));
}

void ObserverSource::recording(RecordingReadRequest request, Done<RecordingContents> done) {
  host_.bus().call<RecordingRead>(std::move(request), unshared(std::move(done)));
}

void ObserverSource::may_read_recordings(const std::string& caller, Done<void> done) {
  recordings({"", 0, caller}, [done = std::move(done)](Result<RecordingInfos> none) {
    if (!none.ok()) return done(std::move(none).error());
    done({});
  });
}

void ObserverSource::may_watch(WatchRequest request, Done<void> done) {
  const bool traces = std::any_of(request.uris.begin(), request.uris.end(),
                                  [](const std::string& uri) { return is_trace_resource(uri); });
  if (!traces) return done({});
  may_read_recordings(request.caller, std::move(done));
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

std::vector<std::string> ObserverSource::tools() const {
  std::vector<std::string> names;
  for (const auto& [name, schema] : schemas_) names.push_back(name);
  return names;
}

json::object ObserverSource::schema(std::string_view tool) const {
  const auto schema = schemas_.find(tool);
  if (schema == schemas_.end()) return {};
  boost::system::error_code problem;
  json::value value = json::parse(schema->second, problem);
  return problem || !value.is_object() ? json::object() : std::move(value.get_object());
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
