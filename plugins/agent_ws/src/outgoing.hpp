// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the server sends: the payload of every message type. The member names are the wire's;
// members of std::optional are left out when empty, those of Json may be null.
// Sources: the published text, "Backend → Client messages"; deployed servers.

#include <gantry/json.hpp>

#include <boost/describe/class.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gantry::agent_ws {

struct QueryAccepted {
  std::string status = "accepted";
};
BOOST_DESCRIBE_STRUCT(QueryAccepted, (), (status))

/// streaming-response, wakeword-greeting.
struct TextPayload {
  std::string text;
};
BOOST_DESCRIBE_STRUCT(TextPayload, (), (text))

struct LlmThought {
  std::string status;
};
BOOST_DESCRIBE_STRUCT(LlmThought, (), (status))

/// A picture that the model made, by its artifact.
struct PictureRef {
  std::string artifact_id;
  std::string content_type;
};
BOOST_DESCRIBE_STRUCT(PictureRef, (), (artifact_id, content_type))

struct StreamingComplete {
  std::optional<std::string> final_response;
  std::optional<std::vector<PictureRef>> images;
};
BOOST_DESCRIBE_STRUCT(StreamingComplete, (), (final_response, images))

struct ErrorPayload {
  std::string message;
  std::optional<Json> metadata;
};
BOOST_DESCRIBE_STRUCT(ErrorPayload, (), (message, metadata))

struct ModelFacingCall {
  std::string id;
  std::string name;
  Json arguments{"{}"};
};
BOOST_DESCRIBE_STRUCT(ModelFacingCall, (), (id, name, arguments))

/// Pixels.
struct PictureSize {
  std::int32_t width = 0;
  std::int32_t height = 0;
};
BOOST_DESCRIBE_STRUCT(PictureSize, (), (width, height))

struct ToolCallMetadata {
  std::string tool_call_id;
  ModelFacingCall model_facing_tool_call;
  std::optional<bool> skip_local_execution;  // the client shows it and does not run it
  std::optional<std::string> execution_owner;
  std::optional<bool> llm_tool_call_validation_failed;
  std::optional<std::string> request_id;
  // Of a call whose place was found here:
  std::optional<std::string> coordinate_method;  // manual, ocr, prediction
  std::optional<std::string> coordinate_status;  // resolved
  std::optional<PictureSize> source_size;        // of the picture that the model pointed into
  std::optional<PictureSize> target_size;        // of what x and y are pixels of
};
BOOST_DESCRIBE_STRUCT(ToolCallMetadata, (),
                      (tool_call_id, model_facing_tool_call, skip_local_execution, execution_owner,
                       llm_tool_call_validation_failed, request_id, coordinate_method,
                       coordinate_status, source_size, target_size))

struct ToolCallPayload {
  std::string tool_name;
  Json parameters{"{}"};
  std::string request_id;
  ToolCallMetadata metadata;
};
BOOST_DESCRIBE_STRUCT(ToolCallPayload, (), (tool_name, parameters, request_id, metadata))

struct BundleItem {
  std::string name;
  Json args{"{}"};
  std::string request_id;
  std::string tool_call_id;
  ModelFacingCall model_facing_tool_call;
  std::optional<std::string> coordinate_method;  // as in ToolCallMetadata
  std::optional<std::string> coordinate_status;
  std::optional<PictureSize> source_size;
  std::optional<PictureSize> target_size;
};
BOOST_DESCRIBE_STRUCT(BundleItem, (),
                      (name, args, request_id, tool_call_id, model_facing_tool_call,
                       coordinate_method, coordinate_status, source_size, target_size))

struct ToolBundlePayload {
  std::string bundle_id;
  std::vector<BundleItem> tools;
};
BOOST_DESCRIBE_STRUCT(ToolBundlePayload, (), (bundle_id, tools))

struct ToolOutputPayload {
  std::string tool_name;
  bool success = false;
  double execution_time = 0;  // seconds
  Json output;
  Json error;
  Json screenshot_ref;  // artifact id
  Json screenshot;      // never inline here: the artifact has it
  std::optional<std::string> screenshot_url;
  std::optional<std::string> screenshot_content_type;
  Json metadata{"{}"};
};
BOOST_DESCRIBE_STRUCT(ToolOutputPayload, (),
                      (tool_name, success, execution_time, output, error, screenshot_ref,
                       screenshot, screenshot_url, screenshot_content_type, metadata))

struct ToolOutputMetadata {
  std::string request_id;
  std::string tool_call_id;
  std::string execution_owner;
  bool truncated = false;
};
BOOST_DESCRIBE_STRUCT(ToolOutputMetadata, (),
                      (request_id, tool_call_id, execution_owner, truncated))

struct WebSearchProgress {
  std::string text;
  std::optional<std::string> request_id;
  std::optional<std::string> action_type;
  std::optional<std::string> query;
  std::optional<std::string> url;
  std::optional<std::string> pattern;
};
BOOST_DESCRIBE_STRUCT(WebSearchProgress, (), (text, request_id, action_type, query, url, pattern))

struct ClientLayer {
  std::string id;
  std::string type;
  std::string content;
};
BOOST_DESCRIBE_STRUCT(ClientLayer, (), (id, type, content))

struct SystemPromptPayload {
  std::string content;
  Json tool_schemas;  // null: tool-schemas has them
  std::vector<ClientLayer> client_prompt_layers;
};
BOOST_DESCRIBE_STRUCT(SystemPromptPayload, (), (content, tool_schemas, client_prompt_layers))

/// The fields of both texts.
struct UserMessageMetadata {
  std::string original_query;
  std::string context_type;
  std::string injected_context;
  std::string active_window;
  bool has_screenshot = false;
  bool has_memory = false;
};
BOOST_DESCRIBE_STRUCT(UserMessageMetadata, (),
                      (original_query, context_type, injected_context, active_window,
                       has_screenshot, has_memory))

struct UserMessageFull {
  std::string content;
  UserMessageMetadata metadata;
};
BOOST_DESCRIBE_STRUCT(UserMessageFull, (), (content, metadata))

struct AssistantMessageFull {
  std::string content;
  std::optional<std::vector<PictureRef>> images;
};
BOOST_DESCRIBE_STRUCT(AssistantMessageFull, (), (content, images))

/// Flat and nested form in one object.
struct ToolFunction {
  std::string name;
  std::string description;
  Json parameters{"{}"};
};
BOOST_DESCRIBE_STRUCT(ToolFunction, (), (name, description, parameters))

struct ToolSchema {
  std::string type = "function";
  std::string name;
  std::string description;
  Json parameters{"{}"};
  ToolFunction function;
};
BOOST_DESCRIBE_STRUCT(ToolSchema, (), (type, name, description, parameters, function))

struct ToolSchemas {
  std::vector<ToolSchema> tool_schemas;
};
BOOST_DESCRIBE_STRUCT(ToolSchemas, (), (tool_schemas))

struct TokenCount {
  std::int64_t prompt_tokens = 0;
  std::int64_t visible_output_tokens = 0;
  Json thinking_tokens;
  std::int64_t output_tokens_total = 0;
  std::int64_t total_tokens = 0;
  std::int64_t conversation_tokens = 0;
  std::string usage_source;
  Json cached_tokens;
  Json cache_hit;
  Json cache_status;  // hit, miss, or null: nothing is known
};
BOOST_DESCRIBE_STRUCT(TokenCount, (),
                      (prompt_tokens, visible_output_tokens, thinking_tokens, output_tokens_total,
                       total_tokens, conversation_tokens, usage_source, cached_tokens, cache_hit,
                       cache_status))

struct CompactionStartedPayload {
  std::string reason;
  std::string strategy;
  std::int64_t before_tokens = 0;
  std::int64_t projected_tokens = 0;
};
BOOST_DESCRIBE_STRUCT(CompactionStartedPayload, (),
                      (reason, strategy, before_tokens, projected_tokens))

struct CompactionRowPreview {
  std::string role;
  std::string message_type;
  std::string content;
  Json tool_name;
  Json tool_call_id;
};
BOOST_DESCRIBE_STRUCT(CompactionRowPreview, (),
                      (role, message_type, content, tool_name, tool_call_id))

struct CompactionCompletedPayload {
  std::string reason;
  std::string strategy;
  std::int64_t before_tokens = 0;
  std::int64_t after_tokens = 0;
  std::int64_t removed_messages = 0;
  std::string summary_preview;
  std::string summary_text;
  std::vector<CompactionRowPreview> replacement_history_preview;
  std::vector<Json> replacement_history_entries;
  Json skipped_reason;
};
BOOST_DESCRIBE_STRUCT(CompactionCompletedPayload, (),
                      (reason, strategy, before_tokens, after_tokens, removed_messages,
                       summary_preview, summary_text, replacement_history_preview,
                       replacement_history_entries, skipped_reason))

struct CompactionFailedPayload {
  std::string reason;
  std::string strategy;
  std::string error;
  Json before_tokens;
};
BOOST_DESCRIBE_STRUCT(CompactionFailedPayload, (), (reason, strategy, error, before_tokens))

struct ModelToolCallRow {
  std::string id;
  std::string name;
  Json arguments{"{}"};
};
BOOST_DESCRIBE_STRUCT(ModelToolCallRow, (), (id, name, arguments))

/// One message of the prompt, as introspection shows it.
struct PromptMessage {
  std::string role;
  std::string content;
  std::optional<std::string> tool_call_id;
  std::optional<std::vector<ModelToolCallRow>> tool_calls;
  std::optional<std::string> tool_name;
};
BOOST_DESCRIBE_STRUCT(PromptMessage, (), (role, content, tool_call_id, tool_calls, tool_name))

/// A query that a client would send; members that are missing were not given.
struct PlannedPayload {
  std::optional<std::string> text;
  std::optional<std::string> conversation_ref;
  std::optional<std::string> content;
  std::optional<std::string> workspace_path;
  std::optional<Json> agent_definition;
};
BOOST_DESCRIBE_STRUCT(PlannedPayload, (),
                      (text, conversation_ref, content, workspace_path, agent_definition))

struct PlannedQuery {
  std::string type = "query";
  PlannedPayload payload;
};
BOOST_DESCRIBE_STRUCT(PlannedQuery, (), (type, payload))

struct ModelHistoryOutRow {
  std::string id;
  std::string conversation_ref;
  std::string revision_id;
  std::string role;
  std::string message_type;
  std::string content;
  std::optional<std::string> tool_call_id;
  std::optional<std::vector<ModelToolCallRow>> tool_calls;
  std::optional<std::string> tool_name;
  std::optional<std::vector<std::string>> image_refs;
  std::optional<Json> compaction_facts;
};
BOOST_DESCRIBE_STRUCT(ModelHistoryOutRow, (),
                      (id, conversation_ref, revision_id, role, message_type, content, tool_call_id,
                       tool_calls, tool_name, image_refs, compaction_facts))

struct ModelHistoryUpdated {
  std::string conversation_ref;
  std::string revision_id;
  std::string checkpoint_id;
  std::string created_at;
  std::vector<ModelHistoryOutRow> rows;
};
BOOST_DESCRIBE_STRUCT(ModelHistoryUpdated, (),
                      (conversation_ref, revision_id, checkpoint_id, created_at, rows))

struct StopQueryAck {
  std::string status;  // stopped, not-running
  bool canceled = false;
  Json conversation_ref;
  Json turn_ref;
};
BOOST_DESCRIBE_STRUCT(StopQueryAck, (), (status, canceled, conversation_ref, turn_ref))

/// settings-loaded: whatever is in `config` is sorted by name.
struct SettingsLoaded {
  Json config{"{}"};
};
BOOST_DESCRIBE_STRUCT(SettingsLoaded, (), (config))

struct SettingsUpdated {
  std::vector<std::string> updated_keys;
};
BOOST_DESCRIBE_STRUCT(SettingsUpdated, (), (updated_keys))

struct WakewordActivated {
  bool speech_mode_enabled = false;
  std::string greeting;
  std::string status = "listening";
};
BOOST_DESCRIBE_STRUCT(WakewordActivated, (), (speech_mode_enabled, greeting, status))

struct RemoteTool {
  std::string name;
  std::string description;
  bool enabled = false;
  bool available = false;
  Json reason_unavailable;
};
BOOST_DESCRIBE_STRUCT(RemoteTool, (), (name, description, enabled, available, reason_unavailable))

struct RemoteToolCatalog {
  std::vector<RemoteTool> remote_tools;
};
BOOST_DESCRIBE_STRUCT(RemoteToolCatalog, (), (remote_tools))

}  // namespace gantry::agent_ws
