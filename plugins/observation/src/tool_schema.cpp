// SPDX-License-Identifier: Apache-2.0
#include "tool_schema.hpp"

#include "json_object.hpp"

namespace gantry::observation {
namespace {

std::string_view type_name(ParameterType type) {
  switch (type) {
    case ParameterType::Integer: return "integer";
    case ParameterType::Number: return "number";
    case ParameterType::Boolean: return "boolean";
    case ParameterType::String: return "string";
    case ParameterType::Object: return "object";
    case ParameterType::Array: return "array";
    case ParameterType::Any: break;
  }
  return {};
}

RawJson values_of(std::string_view values) {
  JsonArray out;
  while (!values.empty()) {
    const std::size_t bar = values.find('|');
    out.add(values.substr(0, bar));
    values = bar == std::string_view::npos ? std::string_view() : values.substr(bar + 1);
  }
  return out.done();
}

JsonObject property_of(const Parameter& parameter) {
  JsonObject out;
  if (const std::string_view type = type_name(parameter.type); !type.empty()) out.add("type", type);
  out.add("description", parameter.doc);
  if (!parameter.values.empty()) out.add("enum", values_of(parameter.values));
  if (!parameter.items.empty()) out.add("items", RawJson{std::string(parameter.items)});
  return out;
}

ObserverToolNames describe_all() {
  ObserverToolNames names;
  for (const Tool& tool : all_tools()) {
    names.tools.emplace_back(tool.name);
    if (tool.input()) names.input_tools.emplace_back(tool.name);
    ObserverToolDescription description;
    description.name = tool.name;
    description.doc = tool.doc;
    description.kind = kind_name(tool.kind);
    description.untrusted = tool.untrusted;
    description.input_schema = Json(input_schema(tool));
    names.described.push_back(std::move(description));
  }
  return names;
}

}  // namespace

std::string input_schema(const Tool& tool) {
  JsonObject properties;
  JsonArray required;
  for (const Parameter& parameter : tool.parameters) {
    properties.add(parameter.name, property_of(parameter));
    if (parameter.required) required.add(parameter.name);
  }
  JsonObject schema;
  schema.add("type", "object");
  schema.add("properties", properties);
  schema.add("required", required.done());
  return schema.text();
}

std::string_view kind_name(ToolKind kind) {
  switch (kind) {
    case ToolKind::About: return "about";
    case ToolKind::Read: return "read";
    case ToolKind::Picture: return "picture";
    case ToolKind::Act: return "act";
    case ToolKind::Manage: return "manage";
  }
  return {};
}

const ObserverToolNames& described_tools() {
  static const ObserverToolNames kTools = describe_all();
  return kTools;
}

}  // namespace gantry::observation
