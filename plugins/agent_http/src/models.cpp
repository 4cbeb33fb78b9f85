// SPDX-License-Identifier: Apache-2.0
#include "models.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include <gantry/agent_http/text.hpp>

namespace gantry::agent_http {
namespace {

constexpr std::size_t kLongText = 32768;

std::string real_user(std::string_view user_id) {
  if (trim(user_id).empty()) return "user_id cannot be blank";
  if (trim(user_id) == "default_user") return "user_id cannot be default_user";
  return {};
}

constexpr Field required_text(std::string_view name, std::size_t min = 0, std::size_t max = 0) {
  return {.name = name, .required = true, .min = min, .max = max};
}
constexpr Field optional_text(std::string_view name) { return {.name = name}; }
/// Has a default, and cannot be null.
constexpr Field text_with_default(std::string_view name, std::size_t min = 0, std::size_t max = 0) {
  return {.name = name, .min = min, .max = max, .nullable = false};
}
constexpr Field object_with_default(std::string_view name) {
  return {.name = name, .kind = FieldKind::Object, .nullable = false};
}
constexpr Field user_id() { return {.name = "user_id", .required = true, .judge = &real_user}; }

constexpr std::array<std::string_view, 4> kActions = {"pause", "resume", "stop",
                                                      "set-control-mode"};
constexpr std::array<std::string_view, 3> kModes = {"agent_only", "shared_control",
                                                    "human_override"};

constexpr std::array kRegister = {optional_text("operating_system")};
constexpr std::array kEmbed = {required_text("text", 1, 8192),
                               text_with_default("model_name", 1, 128)};
constexpr std::array kSummarize = {Field{.name = "conversations",
                                         .kind = FieldKind::Texts,
                                         .required = true,
                                         .min = 1,
                                         .max = 100,
                                         .item_max = kLongText},
                                   user_id()};
constexpr std::array kTitle = {user_id(), required_text("user_message", 1, kLongText),
                               required_text("assistant_message", 1, kLongText),
                               optional_text("model_id"), optional_text("model_provider")};
constexpr std::array<std::string_view, 2> kInteractionModes = {"chat", "agent"};
constexpr std::array kPromptPreview = {
    optional_text("user_id"), Field{.name = "model_id", .min = 1, .max = 256},
    Field{.name = "model_provider", .min = 1, .max = 128},
    Field{.name = "interaction_mode", .kind = FieldKind::Choice, .options = kInteractionModes},
    Field{.name = "include_tools", .kind = FieldKind::Flag, .nullable = false},
    Field{.name = "workspace_path", .min = 1, .max = 4096},
    Field{.name = "user_query_raw", .max = kLongText},
    Field{.name = "messages", .kind = FieldKind::Objects, .nullable = false},
    // What stands in it is checked where queries are.
    Field{.name = "agent_definition", .kind = FieldKind::Object}};
constexpr auto kQueryPlan = [] {
  std::array<Field, kPromptPreview.size() + 1> fields{};
  std::copy(kPromptPreview.begin(), kPromptPreview.end(), fields.begin());
  fields.back() = optional_text("conversation_ref");
  return fields;
}();
constexpr std::array kFile = {required_text("artifact_id", 1), optional_text("filename"),
                              optional_text("content_type")};
constexpr Model kFileBody{kFile};
constexpr std::array kCreateRun = {
    required_text("workspace_id", 1),
    optional_text("agent_id"),
    required_text("query", 1),
    optional_text("requested_by"),
    Field{.name = "files", .kind = FieldKind::Models, .model = &kFileBody, .nullable = false},
    object_with_default("metadata")};
constexpr std::array kRunEvent = {required_text("event_type", 1), text_with_default("source"),
                                  object_with_default("payload")};
constexpr std::array kRunControl = {
    Field{.name = "action", .kind = FieldKind::Choice, .required = true, .options = kActions},
    optional_text("requested_by"),
    Field{.name = "control_mode", .kind = FieldKind::Choice, .options = kModes}};
constexpr std::array kHeartbeat = {
    required_text("workspace_id", 1), required_text("worker_id", 1),  required_text("vm_id", 1),
    required_text("user_id", 1),      optional_text("session_id"),    optional_text("agent_id"),
    text_with_default("status"),      object_with_default("metadata")};
constexpr std::array kDispatched = {required_text("worker_id", 1), required_text("user_id", 1),
                                    required_text("turn_ref", 1),
                                    optional_text("conversation_ref")};
constexpr std::array kStopAll = {optional_text("workspace_id"), optional_text("requested_by")};

}  // namespace

const Model kRegisterBody{kRegister, true};
const Model kEmbedBody{kEmbed};
const Model kSummarizeBody{kSummarize};
const Model kTitleBody{kTitle};
const Model kPromptPreviewBody{kPromptPreview, true};
const Model kQueryPlanBody{kQueryPlan, true};
const Model kCreateRunBody{kCreateRun};
const Model kRunEventBody{kRunEvent};
const Model kRunControlBody{kRunControl};
const Model kHeartbeatBody{kHeartbeat};
const Model kDispatchedBody{kDispatched};
const Model kStopAllBody{kStopAll};

}  // namespace gantry::agent_http
