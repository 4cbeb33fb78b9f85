// SPDX-License-Identifier: Apache-2.0
#include "agent_definition.hpp"

#include <algorithm>
#include <boost/json/parse.hpp>
#include <utility>

#include "described_shape.hpp"
#include "text.hpp"

namespace gantry::agent_ws {
namespace {

namespace json = boost::json;

constexpr std::int64_t kUsualPriority = 100;

/// A list of names: blanks around them go, empty ones are refused, repeated ones dropped.
Shape names_shape() {
  Shape name = Shape::text();
  name.trimmed().not_blank();
  Shape names = Shape::list(std::move(name));
  names.nullable();
  return names;
}

Shape chosen_names_shape(std::vector<std::string> choices) {
  Shape names = Shape::list(Shape::choice(std::move(choices)));
  names.nullable();
  return names;
}

Shape choice_or_none(std::vector<std::string> choices) {
  Shape choice = Shape::choice(std::move(choices));
  choice.nullable();
  return choice;
}

Shape layers_shape() {
  Shape layers = Shape::list(prompt_layer_shape());
  layers.nullable();
  return layers;
}

Shape tools_shape() {
  Shape tools = shape_of<ToolsInput>();
  tools.nullable();
  tools.of(name_of(&ToolsInput::mode)) =
      choice_or_none({"default", "default_plus_client", "client_only", "explicit"});
  tools.of(name_of(&ToolsInput::client_manifest)) = Shape::any();  // it has a validation of its own
  tools.of(name_of(&ToolsInput::available_tools)) = names_shape();
  tools.of(name_of(&ToolsInput::enabled_remote_tools)) = names_shape();
  tools.of(name_of(&ToolsInput::disabled_tools)) = names_shape();
  tools.of(name_of(&ToolsInput::disabled_capabilities)) =
      chosen_names_shape({"ocr", "vision", "embeddings", "web_search", "browser"});
  return tools;
}

Shape plugins_shape() {
  Shape plugin = shape_of<PluginInput>();
  plugin.of(name_of(&PluginInput::id)).length(1, 128);
  plugin.of(name_of(&PluginInput::name)).length(0, 128);
  plugin.of(name_of(&PluginInput::version)).length(0, 64);
  plugin.of(name_of(&PluginInput::prompt_layers)) = layers_shape();
  plugin.of(name_of(&PluginInput::metadata)) = Shape::dictionary().nullable();
  Shape plugins = Shape::list(std::move(plugin));
  plugins.nullable();
  return plugins;
}

Shape runtime_shape() {
  Shape runtime = shape_of<RuntimeInput>();
  runtime.nullable();
  runtime.of(name_of(&RuntimeInput::operating_system)).length(0, 64);
  runtime.of(name_of(&RuntimeInput::workspace_path)).length(0, 4096);
  runtime.of(name_of(&RuntimeInput::coordinate_methods)) =
      chosen_names_shape({"manual", "ocr", "prediction"});
  return runtime;
}

void append(std::vector<PromptLayerInput>& out,
            const std::optional<std::vector<PromptLayerInput>>& layers) {
  if (layers) out.insert(out.end(), layers->begin(), layers->end());
}

void append_new(std::vector<std::string>& out, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (std::find(out.begin(), out.end(), name) == out.end()) out.push_back(name);
  }
}

void append_new(std::vector<std::string>& out,
                const std::optional<std::vector<std::string>>& names) {
  if (names) append_new(out, *names);
}

}  // namespace

Shape prompt_layer_shape() {
  constexpr const char* kPattern = "^[a-zA-Z0-9_.:-]+$";
  Shape layer = shape_of<PromptLayerInput>();
  layer.of(name_of(&PromptLayerInput::id)).length(1, 128).characters("_.:-", kPattern);
  layer.of(name_of(&PromptLayerInput::type)).length(1, 64).characters("_.:-", kPattern);
  layer.of(name_of(&PromptLayerInput::priority)).range(0, 1000);
  layer.of(name_of(&PromptLayerInput::content)).length(1, 200'000).not_blank();
  layer.of(name_of(&PromptLayerInput::revision)).length(0, 128);
  layer.of(name_of(&PromptLayerInput::source_path)).length(0, 4096);
  return layer;
}

Shape agent_definition_shape() {
  Shape shape = shape_of<AgentDefinition>();
  shape.of(name_of(&AgentDefinition::version)).check([](const json::value& version) {
    return version.is_int64() && version.get_int64() == 1
               ? std::nullopt
               : std::optional<std::string>("version must be 1");
  });
  shape.of(name_of(&AgentDefinition::id)).length(1, 128);
  shape.of(name_of(&AgentDefinition::name)).length(0, 128);
  shape.of(name_of(&AgentDefinition::mode)) =
      choice_or_none({"default", "default_plus_overrides", "custom"});
  shape.of(name_of(&AgentDefinition::metadata)) = Shape::dictionary().nullable();
  Shape& prompt = shape.of(name_of(&AgentDefinition::system_prompt));
  prompt.of(name_of(&SystemPromptInput::mode)) = choice_or_none({"default", "replace"});
  prompt.of(name_of(&SystemPromptInput::content)).length(0, 400'000);
  shape.of(name_of(&AgentDefinition::tools)) = tools_shape();
  shape.of(name_of(&AgentDefinition::prompt_layers)) = layers_shape();
  shape.of(name_of(&AgentDefinition::skills)) = layers_shape();
  shape.of(name_of(&AgentDefinition::agents_md)) = layers_shape();
  shape.of(name_of(&AgentDefinition::plugins)) = plugins_shape();
  shape.of(name_of(&AgentDefinition::runtime)) = runtime_shape();
  return shape;
}

std::string replaced_system_prompt(const AgentDefinition& definition) {
  if (!definition.system_prompt || definition.system_prompt->mode != "replace") return {};
  std::string text = definition.system_prompt->content.value_or("");
  return blank(text) ? std::string() : text;
}

std::vector<PromptLayerInput> ordered_layers(const AgentDefinition& definition) {
  std::vector<PromptLayerInput> layers;
  append(layers, definition.agents_md);
  append(layers, definition.skills);
  append(layers, definition.prompt_layers);
  if (definition.plugins) {
    for (const PluginInput& plugin : *definition.plugins) append(layers, plugin.prompt_layers);
  }
  std::stable_sort(
      layers.begin(), layers.end(), [](const PromptLayerInput& a, const PromptLayerInput& b) {
        return a.priority.value_or(kUsualPriority) < b.priority.value_or(kUsualPriority);
      });
  return layers;
}

std::optional<std::vector<std::string>> allowed_tools(const AgentDefinition& definition,
                                                      const std::vector<std::string>& accepted) {
  if (!definition.tools) return std::nullopt;
  const ToolsInput& tools = *definition.tools;
  const bool client_only = tools.mode == "client_only";
  if (!client_only && tools.mode != "explicit" && !tools.available_tools) return std::nullopt;
  std::vector<std::string> allowed;
  if (!client_only) append_new(allowed, tools.available_tools);
  append_new(allowed, accepted);
  append_new(allowed, tools.enabled_remote_tools);
  return allowed;
}

Result<std::optional<ResumePoint>> resume_point(const AgentDefinition& definition) {
  const std::optional<ResumePoint> none;
  if (!definition.metadata) return none;
  json::error_code problem;
  const json::value metadata = json::parse(definition.metadata->text, problem);
  if (problem || !metadata.is_object()) return none;
  const json::value* resume = metadata.get_object().if_contains("resume");
  if (resume == nullptr || resume->is_null()) return none;
  const Error wrong = invalid_argument(
      "Invalid resume: expected conversation_ref (text), after_sequence (integer from 0) and "
      "turn_ref (text)");
  if (!resume->is_object()) return wrong;
  const json::value* conversation = resume->get_object().if_contains("conversation_ref");
  if (conversation == nullptr || !conversation->is_string()) return wrong;
  ResumePoint point{std::string(conversation->get_string()), 0, {}};
  if (const json::value* turn = resume->get_object().if_contains("turn_ref")) {
    if (!turn->is_string() && !turn->is_null()) return wrong;
    if (turn->is_string()) point.turn_ref = std::string(turn->get_string());
  }
  if (const json::value* sequence = resume->get_object().if_contains("after_sequence")) {
    if (!sequence->is_int64() || sequence->get_int64() < 0) return wrong;
    point.after_sequence = sequence->get_int64();
  }
  return std::optional(std::move(point));
}

}  // namespace gantry::agent_ws
