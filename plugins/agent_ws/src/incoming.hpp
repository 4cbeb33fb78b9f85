// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a client sends: the payload of every message type. The member names are the wire's.
// Sources: the published text, "Client → Backend messages"; deployed clients.

#include <gantry/json.hpp>

#include <boost/describe/class.hpp>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "agent_definition.hpp"

namespace gantry::agent_ws {

/// A message of a repository's own instructions; the role is always user.
struct RepoInstructionMessage {
  std::string role;
  std::string content;
};
BOOST_DESCRIBE_STRUCT(RepoInstructionMessage, (), (role, content))

struct QueryPayload {
  std::string text;
  std::string conversation_ref;
  std::optional<std::string> content;  // what the model reads instead of `text`
  std::optional<Json> query_context;   // sections by name, for clients that do not build `content`
  std::optional<std::string> revision_id;
  std::optional<std::string> screenshot_ref;
  std::optional<std::vector<std::string>> screenshot_refs;
  std::optional<Json> capture_meta;
  std::optional<Json> system_state_internal;
  std::optional<std::string> workspace_path;
  std::optional<std::vector<RepoInstructionMessage>> repo_instruction_messages;
  std::optional<std::vector<PromptLayerInput>> client_prompt_layers;
  std::optional<AgentDefinition> agent_definition;
};
BOOST_DESCRIBE_STRUCT(QueryPayload, (),
                      (text, conversation_ref, content, query_context, revision_id, screenshot_ref,
                       screenshot_refs, capture_meta, system_state_internal, workspace_path,
                       repo_instruction_messages, client_prompt_layers, agent_definition))

struct StopQueryPayload {
  std::optional<std::string> conversation_ref;
  std::optional<std::string> turn_ref;
};
BOOST_DESCRIBE_STRUCT(StopQueryPayload, (), (conversation_ref, turn_ref))

/// A call of the assistant in an entry or row. `name` and `arguments` may also stand inside
/// `function`, as OpenAI has them.
struct RehydrateMessage {
  std::string role;
  Json content;
  std::optional<std::string> message_type;
  std::optional<std::string> tool_name;
  std::optional<std::string> correlation_id;
  std::optional<std::string> tool_call_id;
  std::optional<Json> tool_calls;
  std::optional<Json> timestamp;
  std::optional<std::string> screenshot_ref;
  std::optional<Json> display_attachments;
  std::optional<Json> transparency;
  std::optional<Json> structured_payload;
  std::optional<Json> structured_content;
  std::optional<Json> compaction_facts;
  std::optional<std::string> workspace_path;
  std::optional<std::vector<RepoInstructionMessage>> repo_instruction_messages;
};
BOOST_DESCRIBE_STRUCT(RehydrateMessage, (),
                      (role, content, message_type, tool_name, correlation_id, tool_call_id,
                       tool_calls, timestamp, screenshot_ref, display_attachments, transparency,
                       structured_payload, structured_content, compaction_facts, workspace_path,
                       repo_instruction_messages))

/// A row of a checkpoint, as model-history-updated has it.
struct ModelHistoryRow {
  std::optional<std::string> id;
  std::optional<std::string> conversation_ref;
  std::optional<std::string> revision_id;
  std::string role;
  std::optional<std::string> message_type;
  Json content;
  std::optional<std::string> tool_call_id;
  std::optional<Json> tool_calls;
  std::optional<std::string> tool_name;
  std::optional<std::vector<std::string>> image_refs;
  std::optional<Json> compaction_facts;
};
BOOST_DESCRIBE_STRUCT(ModelHistoryRow, (),
                      (id, conversation_ref, revision_id, role, message_type, content, tool_call_id,
                       tool_calls, tool_name, image_refs, compaction_facts))

struct ModelHistory {
  std::string revision_id;
  std::optional<std::string> checkpoint_id;
  std::optional<Json> created_at;
  std::vector<ModelHistoryRow> rows;
};
BOOST_DESCRIBE_STRUCT(ModelHistory, (), (revision_id, checkpoint_id, created_at, rows))

struct RehydratePayload {
  std::string conversation_ref;
  std::optional<std::vector<RehydrateMessage>> messages;
  std::optional<std::string> rehydrate_mode;
  std::optional<std::string> workspace_path;
  std::optional<std::vector<RepoInstructionMessage>> repo_instruction_messages;
  std::optional<ModelHistory> model_history;
};
BOOST_DESCRIBE_STRUCT(RehydratePayload, (),
                      (conversation_ref, messages, rehydrate_mode, workspace_path,
                       repo_instruction_messages, model_history))

struct CompactHistoryPayload {
  std::optional<bool> force;
  std::optional<std::string> conversation_ref;
};
BOOST_DESCRIBE_STRUCT(CompactHistoryPayload, (), (force, conversation_ref))

struct LoadSettingsPayload {
  std::optional<std::string> client_version;
};
BOOST_DESCRIBE_STRUCT(LoadSettingsPayload, (), (client_version))

/// A key of a provider. The key itself never leaves this plugin but towards the engine.
struct ProviderKey {
  std::optional<bool> enabled;
  std::optional<std::string> api_key;
};
BOOST_DESCRIBE_STRUCT(ProviderKey, (), (enabled, api_key))

struct ProviderKeys {
  std::optional<ProviderKey> openai;
  std::optional<ProviderKey> anthropic;
  std::optional<ProviderKey> google;
  std::optional<ProviderKey> openrouter;
  std::optional<ProviderKey> mistral;
  std::optional<ProviderKey> kimi_coding;
};
BOOST_DESCRIBE_STRUCT(ProviderKeys, (),
                      (openai, anthropic, google, openrouter, mistral, kimi_coding))

struct SettingsTools {
  std::string mode;
  std::optional<Json> client_manifest;
};
BOOST_DESCRIBE_STRUCT(SettingsTools, (), (mode, client_manifest))

struct UpdateSettingsPayload {
  std::optional<std::string> model_mode;
  std::optional<std::string> model_provider;
  std::optional<std::string> selected_model_id;
  std::optional<std::string> interaction_mode;
  std::optional<bool> speech_mode_enabled;
  std::optional<bool> wakeword_enabled;
  std::optional<bool> wakeword_stt_enabled;
  std::optional<bool> browser_automation_enabled;
  std::optional<bool> include_query_screenshot;
  std::optional<ProviderKeys> provider_api_keys;
  std::optional<SettingsTools> tools;
  std::optional<AgentDefinition> agent_definition;
};
BOOST_DESCRIBE_STRUCT(UpdateSettingsPayload, (),
                      (model_mode, model_provider, selected_model_id, interaction_mode,
                       speech_mode_enabled, wakeword_enabled, wakeword_stt_enabled,
                       browser_automation_enabled, include_query_screenshot, provider_api_keys,
                       tools, agent_definition))

/// list-models and wakeword-detected carry nothing.
struct EmptyPayload {};
BOOST_DESCRIBE_STRUCT(EmptyPayload, (), ())

struct SystemState {
  std::string active_window;
  std::string mouse_position;
};
BOOST_DESCRIBE_STRUCT(SystemState, (), (active_window, mouse_position))

struct DisplayAttachment {
  std::string id;
  std::string kind;
  std::string source;
  std::string status;
  std::optional<std::string> filename;
  std::optional<std::string> content_type;
  std::optional<std::string> screenshot_ref;
  std::optional<std::string> screenshot_url;
  std::optional<std::string> error_code;
};
BOOST_DESCRIBE_STRUCT(DisplayAttachment, (),
                      (id, kind, source, status, filename, content_type, screenshot_ref,
                       screenshot_url, error_code))

/// Further members are allowed and kept.
struct ToolResultData {
  Json output;
  std::optional<SystemState> system_state;
  std::optional<std::string> screenshot;  // base64 or a data URL
  std::optional<std::string> screenshot_ref;
  std::optional<std::vector<DisplayAttachment>> display_attachments;
  std::optional<Json> capture_meta;
};
BOOST_DESCRIBE_STRUCT(ToolResultData, (),
                      (output, system_state, screenshot, screenshot_ref, display_attachments,
                       capture_meta))

struct ToolResultPayload {
  std::string request_id;
  bool success = false;
  ToolResultData data;
  std::optional<std::string> error;
};
BOOST_DESCRIBE_STRUCT(ToolResultPayload, (), (request_id, success, data, error))

/// Further members are allowed.
struct StepResult {
  std::string tool;
  std::string status;
  std::optional<Json> output;
};
BOOST_DESCRIBE_STRUCT(StepResult, (), (tool, status, output))

struct ToolBundleResultPayload {
  std::string bundle_id;
  std::string status;
  std::vector<StepResult> step_results;
  std::optional<std::string> screenshot;
  std::optional<std::string> screenshot_ref;
  std::optional<std::vector<DisplayAttachment>> display_attachments;
  std::optional<Json> capture_meta;
  std::optional<SystemState> system_state;
  std::optional<std::string> error;
};
BOOST_DESCRIBE_STRUCT(ToolBundleResultPayload, (),
                      (bundle_id, status, step_results, screenshot, screenshot_ref,
                       display_attachments, capture_meta, system_state, error))

}  // namespace gantry::agent_ws
