// SPDX-License-Identifier: Apache-2.0
// Loading of scenarios: only a made-up desktop can be replaced by another one.
#include "tools.hpp"

namespace gantry::observation {
namespace {

/// What the adapter knows about the place of the mistake, else the path that was asked for.
Failure invalid(const Error& error, const std::string& path) {
  Failure why = failure(Fault::ScenarioInvalid, error.message, {{"path", path}});
  const Outcome<Arguments> detail = Arguments::parse(error.detail);
  if (error.detail.empty() || !detail.ok()) return why;
  JsonObject context;
  context.add("path", path);
  for (const std::string_view name : {"file", "found", "allowed"}) {
    context.add_if(name, detail->text(name));
  }
  // `path` of the published error is the file's; the place in the file has a name of its own.
  context.add_if("at", detail->text("path"));
  if (const auto line = detail->integer_or_nothing("line"); line.value_or(0) > 0) {
    context.add("line", *line);
  }
  why.context = context.text();
  return why;
}

Task<ToolOutcome> load_scenario(Engine& engine, const ToolCall& call) {
  const std::string path = call.arguments.text("path");
  if (path.empty()) co_return failure(Fault::BadRequest, "path is required");
  LoadScenarioRequest request;
  request.path = path;
  const Answer<ScenarioReport> answer = co_await engine.desktop.load_scenario(std::move(request));
  if (!answer.ok()) {
    const Error& error = answer.error();
    if (error.code == Code::Unavailable || error.code == Code::Unimplemented) {
      co_return failure(Fault::ScenarioInvalid,
                        "scenarios need the mock desktop, and this one is real (" +
                            engine.directory.adapter() + "): start with --mock",
                        {{"path", path}});
    }
    co_return invalid(error, path);
  }
  engine.trees.forget_all();
  engine.oracles.reset();
  const ScenarioReport& report = **answer;
  JsonObject out;
  out.add("scenario", report.scenario);
  out.add("state", report.state);
  JsonArray states;
  for (const std::string& state : report.states) states.add(state);
  out.add("states", states.done());
  if (!report.warnings.empty()) {
    JsonArray warnings;
    for (const std::string& warning : report.warnings) warnings.add(warning);
    out.add("warnings", warnings.done());
  }
  co_return out;
}

constexpr Parameter kLoadScenario[] = {
    {"path", ParameterType::String,
     "YAML file on the daemon's machine, in one of its scenario folders.", true},
};

constexpr Tool kScenarioTools[] = {
    {"load_scenario", load_scenario, ToolKind::Manage, false,
     "Replaces the mock desktop by the one that a scenario file describes, in its initial state.",
     kLoadScenario},
};

}  // namespace

std::span<const Tool> scenario_tools() { return kScenarioTools; }

}  // namespace gantry::observation
