// SPDX-License-Identifier: Apache-2.0
#pragma once
// agent_definition: what a client asks of the agent, in a handshake, a query or its settings. All
// of it narrows what the daemon allows; nothing of it unlocks anything. Pure, any thread.

#include <gantry/result.hpp>

#include <gantry/json.hpp>

#include <boost/describe/class.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "shape.hpp"

namespace gantry::agent_ws {

struct PromptLayerInput {
  std::string id;
  std::string type;
  std::optional<std::int64_t> priority;  // 0 (first) to 1000, default 100
  std::string content;
  std::optional<std::string> revision;
  std::optional<std::string> source_path;
};
BOOST_DESCRIBE_STRUCT(PromptLayerInput, (), (id, type, priority, content, revision, source_path))

struct SystemPromptInput {
  std::optional<std::string> mode;  // default, replace
  std::optional<std::string> content;
};
BOOST_DESCRIBE_STRUCT(SystemPromptInput, (), (mode, content))

struct ToolsInput {
  std::optional<std::string> mode;  // default, default_plus_client, client_only, explicit
  std::optional<Json> client_manifest;
  std::optional<std::vector<std::string>> available_tools;
  std::optional<std::vector<std::string>> enabled_remote_tools;
  std::optional<std::vector<std::string>> disabled_tools;
  std::optional<std::vector<std::string>> disabled_capabilities;
};
BOOST_DESCRIBE_STRUCT(ToolsInput, (),
                      (mode, client_manifest, available_tools, enabled_remote_tools, disabled_tools,
                       disabled_capabilities))

struct PluginInput {
  std::string id;
  std::optional<std::string> name;
  std::optional<std::string> version;
  std::optional<std::vector<PromptLayerInput>> prompt_layers;
  std::optional<Json> metadata;
};
BOOST_DESCRIBE_STRUCT(PluginInput, (), (id, name, version, prompt_layers, metadata))

struct RuntimeInput {
  std::optional<std::string> operating_system;
  std::optional<std::string> workspace_path;
  std::optional<std::vector<std::string>> coordinate_methods;  // manual, ocr, prediction
};
BOOST_DESCRIBE_STRUCT(RuntimeInput, (), (operating_system, workspace_path, coordinate_methods))

struct AgentDefinition {
  std::optional<std::int64_t> version;
  std::optional<std::string> id;
  std::optional<std::string> name;
  std::optional<std::string> mode;  // default, default_plus_overrides, custom
  std::optional<Json> metadata;     // may hold `resume`, see resume_point()
  std::optional<SystemPromptInput> system_prompt;
  std::optional<ToolsInput> tools;
  std::optional<std::vector<PromptLayerInput>> prompt_layers;
  std::optional<std::vector<PromptLayerInput>> skills;
  std::optional<std::vector<PromptLayerInput>> agents_md;
  std::optional<std::vector<PluginInput>> plugins;
  std::optional<RuntimeInput> runtime;
};
BOOST_DESCRIBE_STRUCT(AgentDefinition, (),
                      (version, id, name, mode, metadata, system_prompt, tools, prompt_layers,
                       skills, agents_md, plugins, runtime))

[[nodiscard]] Shape agent_definition_shape();
[[nodiscard]] Shape prompt_layer_shape();

/// The text that replaces the system prompt, or "" when none does.
[[nodiscard]] std::string replaced_system_prompt(const AgentDefinition& definition);

/// All layers in the order in which the model reads them: agents_md, skills, prompt_layers, those
/// of the plugins; lower priority first.
[[nodiscard]] std::vector<PromptLayerInput> ordered_layers(const AgentDefinition& definition);

/// The tools that the model may be offered, or nothing when the definition does not limit them.
/// `accepted` are the names of the client's own tools.
[[nodiscard]] std::optional<std::vector<std::string>> allowed_tools(
    const AgentDefinition& definition, const std::vector<std::string>& accepted);

/// Where a client that comes back wants to go on: metadata.resume = {"conversation_ref": "…",
/// "after_sequence": 7, "turn_ref": "…"}. The sequence is that of the last event that it has seen
/// of the turn; without turn_ref it is the latest turn of the conversation.
struct ResumePoint {
  std::string conversation_ref;
  std::int64_t after_sequence = 0;
  std::string turn_ref;
};
/// Nothing when it does not ask for any. Errors: invalid_argument for what is no such point.
[[nodiscard]] Result<std::optional<ResumePoint>> resume_point(const AgentDefinition& definition);

}  // namespace gantry::agent_ws
