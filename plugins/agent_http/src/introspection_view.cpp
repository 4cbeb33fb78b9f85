// SPDX-License-Identifier: Apache-2.0
//
// Answers of the introspection routes, and refusals of what the agent's protocol could not read.
#include <gantry/codec.hpp>

#include <boost/describe/enum_to_string.hpp>
#include <boost/json/parse.hpp>

#include <algorithm>
#include <array>
#include <charconv>

#include <gantry/agent_http/text.hpp>
#include "wire.hpp"

namespace gantry::agent_http {
namespace {

namespace json = boost::json;

json::value parsed(std::string_view text) {
  json::error_code problem;
  json::value value = json::parse(text, problem);
  return problem ? json::value(nullptr) : value;
}

/// The part of the settings that decides what a prompt looks like.
json::object config_view(const AgentPlanned& planned) {
  constexpr std::array<std::string_view, 4> kShown = {"model_mode", "model_provider",
                                                      "selected_model_id", "interaction_mode"};
  const json::value settings = parsed(planned.config.text);
  json::object out;
  for (const std::string_view name : kShown) {
    const json::value* found =
        settings.is_object() ? settings.get_object().if_contains(name) : nullptr;
    out[name] = found != nullptr ? *found : json::value(nullptr);
  }
  return out;
}

json::object schema_view(const AgentTool& tool) {
  return {{"type", "function"},
          {"name", tool.name},
          {"description", tool.description},
          {"parameters", parsed(tool.schema.text)}};
}

/// Whether the model would be offered any tools at all: a plan without them has an empty list.
bool with_tools(const AgentPlanned& planned) {
  const auto& allowed = planned.turn.options.tools.allow;
  return !allowed || !allowed->empty();
}

void add_schemas(const AgentPlanned& planned, json::object& out) {
  json::array canonical;
  json::array offered;
  for (const AgentTool& tool : planned.tools) {
    if (!with_tools(planned)) break;
    canonical.push_back(schema_view(tool));
    if (tool.offered) offered.push_back(schema_view(tool));
  }
  out["canonical_tool_schemas"] = std::move(canonical);
  out["provider_tool_schemas"] = std::move(offered);
}

void add_preview(const AgentPlanned& planned, json::object& out) {
  out["system_prompt"] = planned.preview.system_prompt;
  out["prompt_messages"] = parsed(planned.messages.text);
  add_schemas(planned, out);
  out["user_message_full"] = parsed(planned.user_message.text);
  const std::string& failed = planned.preview.token_error;
  out["prompt_token_count"] = planned.preview.prompt_tokens
                                  ? json::value(*planned.preview.prompt_tokens)
                                  : json::value(nullptr);
  out["token_count_error"] = failed.empty() ? json::value(nullptr) : json::value(failed);
}

/// The type that pydantic gives a problem, by how its message begins.
struct ProblemType {
  std::string_view begins;
  std::string_view type;
};
constexpr ProblemType kProblemTypes[] = {
    {"Field required", "missing"},
    {"Extra inputs are not permitted", "extra_forbidden"},
    {"Value error, ", "value_error"},
    {"Input should be a valid string", "string_type"},
    {"Input should be a valid list", "list_type"},
    {"Input should be a valid dictionary or", "model_attributes_type"},
    {"Input should be a valid dictionary", "dict_type"},
    {"Input should be a valid boolean, unable", "bool_parsing"},
    {"Input should be a valid boolean", "bool_type"},
    {"Input should be a valid integer, unable", "int_parsing"},
    {"Input should be a valid integer, got", "int_from_float"},
    {"Input should be a valid integer", "int_type"},
    {"Input should be greater than or equal", "greater_than_equal"},
    {"Input should be less than or equal", "less_than_equal"},
    {"Input should be ", "literal_error"},
    {"String should have at least", "string_too_short"},
    {"String should have at most", "string_too_long"},
    {"String should match", "string_pattern_mismatch"},
    {"List should have at least", "too_short"},
    {"List should have at most", "too_long"},
};

std::string type_of_problem(std::string_view problem) {
  const auto* const found =
      std::find_if(std::begin(kProblemTypes), std::end(kProblemTypes),
                   [problem](const ProblemType& row) { return problem.starts_with(row.begins); });
  return std::string(found == std::end(kProblemTypes) ? "value_error" : found->type);
}

/// "query.payload.agent_definition.tools.mode", "messages.0.role" as places in the body.
json::array place_of(std::string_view at) {
  constexpr std::string_view kQuery = "query.payload.";
  if (at.starts_with(kQuery)) at.remove_prefix(kQuery.size());
  json::array place = {"body"};
  while (!at.empty()) {
    const std::size_t dot = std::min(at.find('.'), at.size());
    const std::string_view part = at.substr(0, dot);
    at.remove_prefix(std::min(dot + 1, at.size()));
    std::size_t index = 0;
    const auto read = std::from_chars(part.data(), part.data() + part.size(), index);
    const bool number = read.ec == std::errc() && read.ptr == part.data() + part.size();
    place.push_back(number ? json::value(index) : json::value(json::string(part)));
  }
  return place;
}

/// What stands at a place of the body; of something that is missing, what it is missing in.
const json::value& value_at(const json::value& body, const json::array& place) {
  const json::value* here = &body;
  for (std::size_t i = 1; i < place.size(); ++i) {
    const json::value* next = nullptr;
    if (here->is_object() && place[i].is_string()) {
      next = here->get_object().if_contains(place[i].get_string());
    } else if (here->is_array() && place[i].is_number()) {
      next = here->get_array().if_contains(place[i].to_number<std::size_t>());
    }
    if (next == nullptr) break;
    here = next;
  }
  return *here;
}

}  // namespace

Json planned_query(const json::object& body) {
  json::object query;
  const auto take = [&](std::string_view from, std::string_view to) {
    const json::value* given = body.if_contains(from);
    if (given != nullptr && !given->is_null()) query[to] = *given;
  };
  take("user_query_raw", "text");
  take("workspace_path", "workspace_path");
  take("agent_definition", "agent_definition");
  // A blank conversation is none.
  if (!trim(text_of(body, "conversation_ref")).empty())
    take("conversation_ref", "conversation_ref");
  return Json(codec::serialize(query));
}

std::optional<json::object> models_view(const AgentPlanned& planned, const AgentModelRows& models) {
  json::value list = parsed(models.flat.text);
  const json::array* rows = list.if_array();
  const auto is_row = [](const json::value& row) { return row.is_object(); };
  if (rows == nullptr || !std::all_of(rows->begin(), rows->end(), is_row)) return std::nullopt;
  return json::object{{"config", config_view(planned)}, {"models", std::move(list)}};
}

json::object tool_schemas_view(const AgentPlanned& planned) {
  json::object out{{"config", config_view(planned)}};
  add_schemas(planned, out);
  return out;
}

json::object tool_view(const AgentPlanned& planned, const AgentTool& tool) {
  const bool client = tool.place == ToolPlace::Client;
  json::object capability{
      {"name", tool.name},
      {"description", tool.description},
      {"execution_target", client ? "local_runtime" : "backend"},
      {"plugin", tool.plugin},
      {"class", json::string(boost::describe::enum_to_string(tool.kind, ""))},
      {"capability", tool.capability.empty() ? json::value(nullptr) : json::value(tool.capability)},
      {"available", tool.offered},
      {"reason_unavailable", tool.offered ? json::value(nullptr) : json::value(tool.reason)}};
  return {{"config", config_view(planned)},
          {"capability", std::move(capability)},
          {"canonical_tool_schema", schema_view(tool)},
          {"provider_tool_schema",
           tool.offered ? json::value(schema_view(tool)) : json::value(nullptr)}};
}

json::object system_prompt_view(const AgentPlanned& planned) {
  return {{"config", config_view(planned)}, {"system_prompt", planned.preview.system_prompt}};
}

json::object prompt_preview_view(const AgentPlanned& planned) {
  json::object out{{"config", config_view(planned)}};
  add_preview(planned, out);
  return out;
}

json::object query_plan_view(const AgentPlanned& planned) {
  json::object out{{"config", config_view(planned)},
                   {"query_message", parsed(planned.query_message.text)},
                   {"transparency_events", parsed(planned.transparency.text)}};
  add_preview(planned, out);
  return out;
}

std::vector<Issue> issues_of(const Error& error, const json::value& body) {
  std::vector<Issue> issues;
  const json::value findings = parsed(error.detail);
  const json::array* list = findings.if_array();
  if (list == nullptr) return issues;
  for (const json::value& finding : *list) {
    const json::value* at = finding.is_object() ? finding.get_object().if_contains("at") : nullptr;
    if (at == nullptr || !at->is_string()) continue;
    const std::string problem = text_of(finding.get_object(), "problem");
    json::array place = place_of(at->get_string());
    const json::value& input = value_at(body, place);
    issues.push_back({type_of_problem(problem), std::move(place), problem, input, std::nullopt});
  }
  return issues;
}

}  // namespace gantry::agent_http
