// SPDX-License-Identifier: Apache-2.0
#include "manifest.hpp"

#include <gantry/codec.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/json/parse.hpp>
#include <utility>

#include "message.hpp"
#include "text.hpp"

namespace gantry::agent_ws {
namespace {

namespace json = boost::json;
using Problem = std::optional<std::string>;

constexpr std::size_t kMaxTools = 64;
constexpr std::size_t kMaxName = 96;
constexpr std::size_t kMaxDescription = 2000;
constexpr std::size_t kMaxSchema = 64'000;
constexpr std::size_t kMaxManifest = 512'000;
constexpr int kMaxDepth = 12;

constexpr std::string_view kUsualTarget = "local_runtime";
constexpr std::string_view kBackend = "backend";
constexpr std::array<std::string_view, 4> kTargets{kUsualTarget, "local", "sidecar", kBackend};
constexpr std::string_view kPassthrough = "passthrough";
constexpr std::array<std::string_view, 2> kResolutions{kPassthrough, "backend_grounding"};
constexpr std::array<std::string_view, 3> kReserved{"web_search", "grounded_mouse_action",
                                                    "grounded_scroll_action"};

/// What a key of a JSON Schema holds.
enum class Holds { Anything, Schema, SchemaOrBool, Schemas, NamedSchemas };
struct SchemaKey {
  std::string_view name;
  Holds holds;
};
constexpr std::array kSchemaKeys = {
    SchemaKey{"$defs", Holds::NamedSchemas},
    SchemaKey{"$ref", Holds::Anything},
    SchemaKey{"additionalProperties", Holds::SchemaOrBool},
    SchemaKey{"allOf", Holds::Schemas},
    SchemaKey{"anyOf", Holds::Schemas},
    SchemaKey{"const", Holds::Anything},
    SchemaKey{"default", Holds::Anything},
    SchemaKey{"description", Holds::Anything},
    SchemaKey{"enum", Holds::Anything},
    SchemaKey{"exclusiveMaximum", Holds::Anything},
    SchemaKey{"exclusiveMinimum", Holds::Anything},
    SchemaKey{"format", Holds::Anything},
    SchemaKey{"items", Holds::Schema},
    SchemaKey{"maxItems", Holds::Anything},
    SchemaKey{"maxLength", Holds::Anything},
    SchemaKey{"maximum", Holds::Anything},
    SchemaKey{"minItems", Holds::Anything},
    SchemaKey{"minLength", Holds::Anything},
    SchemaKey{"minimum", Holds::Anything},
    SchemaKey{"oneOf", Holds::Schemas},
    SchemaKey{"pattern", Holds::Anything},
    SchemaKey{"properties", Holds::NamedSchemas},
    SchemaKey{"required", Holds::Anything},
    SchemaKey{"title", Holds::Anything},
    SchemaKey{"type", Holds::Anything},
};

template <class Names>
bool one_of(const Names& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string_view text_of(const json::value& value) {
  const json::string* text = value.if_string();
  return text == nullptr ? std::string_view() : std::string_view(text->data(), text->size());
}

std::string_view text_member(const json::object& object, std::string_view key) {
  const json::value* found = object.if_contains(key);
  return found == nullptr ? std::string_view() : text_of(*found);
}

Problem schema_problem(const json::value& schema, int depth);

Problem schemas_problem(const json::value& list, std::string_view key, int depth) {
  const json::array* schemas = list.if_array();
  if (schemas == nullptr) return fmt::format("'{}' must be a list", key);
  for (const json::value& schema : *schemas) {
    if (Problem wrong = schema_problem(schema, depth + 1)) return wrong;
  }
  return std::nullopt;
}

Problem named_schemas_problem(const json::value& map, std::string_view key, int depth) {
  const json::object* schemas = map.if_object();
  if (schemas == nullptr) return fmt::format("'{}' must be an object", key);
  for (const auto& entry : *schemas) {
    if (Problem wrong = schema_problem(entry.value(), depth + 1)) return wrong;
  }
  return std::nullopt;
}

Problem key_problem(const SchemaKey& key, const json::value& value, int depth) {
  switch (key.holds) {
    case Holds::Anything: return std::nullopt;
    case Holds::SchemaOrBool:
      if (value.is_bool()) return std::nullopt;
      [[fallthrough]];
    case Holds::Schema: return schema_problem(value, depth + 1);
    case Holds::Schemas: return schemas_problem(value, key.name, depth);
    case Holds::NamedSchemas: return named_schemas_problem(value, key.name, depth);
  }
  return std::nullopt;
}

Problem schema_problem(const json::value& schema, int depth) {
  if (depth > kMaxDepth) return fmt::format("schema is deeper than {} levels", kMaxDepth);
  const json::object* object = schema.if_object();
  if (object == nullptr) return "schema nodes must be objects";
  for (const auto& entry : *object) {
    const std::string_view name(entry.key().data(), entry.key().size());
    const auto key = std::find_if(kSchemaKeys.begin(), kSchemaKeys.end(),
                                  [name](const SchemaKey& known) { return known.name == name; });
    if (key == kSchemaKeys.end()) {
      return fmt::format("unsupported schema key '{}'", name.substr(0, kMaxName));
    }
    if (Problem wrong = key_problem(*key, entry.value(), depth)) return wrong;
  }
  return std::nullopt;
}

bool good_name(std::string_view name) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  return name.size() <= kMaxName && letter(name.front()) &&
         std::all_of(name.begin(), name.end(), [&letter](char c) {
           return letter(c) || (c >= '0' && c <= '9') || c == '_' || c == '-';
         });
}

/// The schema for the model; newer clients name it first.
const json::value* schema_member(const json::object& tool) {
  for (const std::string_view key : {"model_schema", "schema", "parameters"}) {
    if (const json::value* found = tool.if_contains(key)) return found;
  }
  return nullptr;
}

Problem schema_reason(const json::value* schema, std::string& text) {
  if (schema == nullptr || !schema->is_object()) return "schema must be an object";
  text = codec::serialize(*schema);
  if (text.size() > kMaxSchema) {
    return fmt::format("invalid schema: larger than {} bytes", kMaxSchema);
  }
  if (Problem wrong = schema_problem(*schema, 1)) return "invalid schema: " + *wrong;
  return std::nullopt;
}

/// Fills `tool` and answers why it is refused, or nothing. `before` are the names that came before.
Problem read_tool(const json::object& entry, const std::vector<std::string>& before,
                  AcceptedTool& tool) {
  tool.name = text_member(entry, "name");
  if (blank(tool.name)) return "tool name is required";
  if (!good_name(tool.name)) return "tool name does not match allowed pattern";
  if (one_of(before, tool.name)) return "duplicate tool name";
  const json::value* target = entry.if_contains("execution_target");
  tool.execution_target = target == nullptr || target->is_null() ? kUsualTarget : text_of(*target);
  const bool backend = tool.execution_target == kBackend;
  if (is_reserved(tool.name) && !backend) return "reserved backend tool name";
  tool.description = text_member(entry, "description");
  if (blank(tool.description)) return "description is required";
  if (code_points(tool.description) > kMaxDescription) return "description exceeds length limit";
  if (!one_of(kTargets, tool.execution_target)) return "invalid execution_target";
  if (backend && !is_reserved(tool.name)) return "client manifests cannot add backend tools";
  const json::value* resolution = entry.if_contains("argument_resolution");
  tool.argument_resolution =
      resolution == nullptr || resolution->is_null() ? kPassthrough : text_of(*resolution);
  if (!one_of(kResolutions, tool.argument_resolution)) return "invalid argument_resolution";
  if (Problem wrong = schema_reason(schema_member(entry), tool.model_schema.text)) return wrong;
  if (const json::value* execution = entry.if_contains("execution_schema");
      execution != nullptr && !execution->is_null()) {
    if (Problem wrong = schema_reason(execution, tool.execution_schema.text)) return wrong;
  }
  const json::value* optional = entry.if_contains("optional");
  tool.optional = optional != nullptr && optional->is_bool() && optional->get_bool();
  return std::nullopt;
}

ManifestReport rejected_whole(std::string reason) { return {{}, {{"", std::move(reason)}}}; }

}  // namespace

std::vector<std::string> ManifestReport::names() const {
  std::vector<std::string> out;
  out.reserve(accepted.size());
  for (const AcceptedTool& tool : accepted) out.push_back(tool.name);
  return out;
}

bool is_reserved(std::string_view name) { return one_of(kReserved, name); }

ManifestReport check_manifest(const std::optional<Json>& manifest) {
  if (!manifest) return {};
  const std::optional<json::value> root = parse_json(manifest->text);
  if (!root || !root->is_object()) return rejected_whole("manifest must be an object");
  if (manifest->text.size() > kMaxManifest) {
    return rejected_whole(fmt::format("manifest is larger than {} bytes", kMaxManifest));
  }
  const json::value* list = root->get_object().if_contains("tools");
  if (list == nullptr || !list->is_array()) return rejected_whole("tools must be a list");
  if (list->get_array().size() > kMaxTools) {
    return rejected_whole(fmt::format("manifest has more than {} tools", kMaxTools));
  }
  ManifestReport report;
  std::vector<std::string> before;
  std::size_t index = 0;
  for (const json::value& entry : list->get_array()) {
    AcceptedTool tool;
    const Problem reason = entry.is_object() ? read_tool(entry.get_object(), before, tool)
                                             : Problem("tool entry must be an object");
    if (!reason) {
      before.push_back(tool.name);
      report.accepted.push_back(std::move(tool));
    } else {
      const bool named = !blank(tool.name);
      report.rejected.push_back(
          {named ? tool.name.substr(0, kMaxName) : fmt::format("#{}", index), *reason});
    }
    ++index;
  }
  return report;
}

}  // namespace gantry::agent_ws
