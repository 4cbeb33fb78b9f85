// SPDX-License-Identifier: Apache-2.0
#include "history_rows.hpp"

#include <gantry/codec.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/json/value.hpp>
#include <optional>
#include <utility>

#include "frame.hpp"
#include "message.hpp"

namespace gantry::agent_ws {
namespace {

namespace json = boost::json;

struct RoleRow {
  RowRole role;
  std::string_view name;
  RowType usual;  // the type of an entry that names none
};
constexpr std::array kRoles = {
    RoleRow{RowRole::User, "user", RowType::UserQuery},
    RoleRow{RowRole::Assistant, "assistant", RowType::AssistantResponse},
    RoleRow{RowRole::Tool, "tool", RowType::ToolOutput},
    RoleRow{RowRole::System, "system", RowType::UserQuery},
};

struct TypeRow {
  RowType type;
  std::string_view name;
};
constexpr std::array kTypes = {
    TypeRow{RowType::UserQuery, "user_query"},
    TypeRow{RowType::AssistantResponse, "assistant_response"},
    TypeRow{RowType::ToolOutput, "tool_output"},
    TypeRow{RowType::ContextCompaction, "context_compaction"},
};

const RoleRow& role_of(std::string_view name) {
  return *std::find_if(kRoles.begin(), kRoles.end(),
                       [name](const RoleRow& row) { return row.name == name; });
}

RowType type_of_row(const RoleRow& role, const std::optional<std::string>& name) {
  const auto found = std::find_if(kTypes.begin(), kTypes.end(),
                                  [&name](const TypeRow& row) { return row.name == name; });
  return found == kTypes.end() ? role.usual : found->type;
}

/// Text of a content: a string as it is; a list of blocks by their texts; other JSON as its text.
std::string content_text(const Json& content) {
  const auto value = parse_json(content.text);
  if (!value || value->is_null()) return {};
  if (const json::string* text = value->if_string()) return {text->data(), text->size()};
  const json::array* blocks = value->if_array();
  if (blocks == nullptr) return content.text;
  std::string out;
  for (const json::value& block : *blocks) {
    const json::value* text = block.is_object() ? block.get_object().if_contains("text") : nullptr;
    if (text == nullptr || !text->is_string()) continue;
    if (!out.empty()) out += '\n';
    out += std::string_view(text->get_string().data(), text->get_string().size());
  }
  return out;
}

std::string text_of(const json::object& object, std::string_view key) {
  const json::value* found = object.if_contains(key);
  return found != nullptr && found->is_string() ? std::string(found->get_string()) : std::string();
}

/// Arguments as an object: they may come as one or as its JSON text.
Json arguments_of(const json::object& call) {
  const json::value* found = nullptr;
  for (const std::string_view key : {"arguments", "args", "parameters"}) {
    if (found == nullptr) found = call.if_contains(key);
  }
  if (found == nullptr) return Json("{}");
  if (found->is_object()) return Json(codec::serialize(*found));
  if (found->is_string()) {
    const auto parsed = parse_json({found->get_string().data(), found->get_string().size()});
    if (parsed && parsed->is_object()) return Json(codec::serialize(*parsed));
  }
  return Json("{}");
}

/// Calls in the forms that clients keep: {id, name, arguments}, or OpenAI's with `function`.
Result<std::vector<ModelToolCall>> calls_of(const std::optional<Json>& calls) {
  std::vector<ModelToolCall> out;
  if (!calls) return out;
  const auto list = parse_json(calls->text);
  if (!list || !list->is_array()) return out;
  for (const json::value& entry : list->get_array()) {
    if (!entry.is_object()) return invalid_argument("Invalid tool_calls: an entry is no object");
    const json::object& call = entry.get_object();
    const json::value* function = call.if_contains("function");
    const json::object& named =
        function != nullptr && function->is_object() ? function->get_object() : call;
    ModelToolCall made{text_of(call, "id"), text_of(named, "name"), arguments_of(named)};
    if (made.id.empty() || made.name.empty()) {
      return invalid_argument("Invalid tool_calls: id and name are required");
    }
    out.push_back(std::move(made));
  }
  return out;
}

/// What both kinds of rows have in common.
template <class Row>
Result<HistoryRow> read_row(const Row& given) {
  const RoleRow& role = role_of(given.role);
  HistoryRow row;
  row.role = role.role;
  row.type = type_of_row(role, given.message_type);
  row.text = content_text(given.content);
  row.tool = given.tool_name.value_or("");
  if (role.role == RowRole::Assistant) {
    GANTRY_ASSIGN(row.calls, calls_of(given.tool_calls));
  }
  if (given.compaction_facts) row.facts = *given.compaction_facts;
  return row;
}

/// Calls of tools, or which call a row answers.
template <class Row>
void add_calls(const HistoryRow& row, Row& out) {
  if (!row.call.empty()) out.tool_call_id = row.call;
  if (!row.tool.empty()) out.tool_name = row.tool;
  if (row.calls.empty()) return;
  auto& calls = out.tool_calls.emplace();
  for (const ModelToolCall& call : row.calls) calls.push_back({call.id, call.name, call.arguments});
}

}  // namespace

std::string role_name(RowRole role) {
  const auto found = std::find_if(kRoles.begin(), kRoles.end(),
                                  [role](const RoleRow& row) { return row.role == role; });
  return std::string(found->name);
}

std::string row_type_name(RowType type) {
  const auto found = std::find_if(kTypes.begin(), kTypes.end(),
                                  [type](const TypeRow& row) { return row.type == type; });
  return std::string(found->name);
}

Result<Rehydrated> rows_from_messages(const RehydratePayload& payload) {
  Rehydrated out;
  if (!payload.messages) return out;
  for (const RehydrateMessage& entry : *payload.messages) {
    GANTRY_ASSIGN(HistoryRow row, read_row(entry));
    if (row.role == RowRole::Tool) {
      row.call = entry.tool_call_id.value_or(entry.correlation_id.value_or(""));
    }
    if (entry.screenshot_ref && !entry.screenshot_ref->empty()) {
      row.images.push_back({*entry.screenshot_ref, "", ""});
    }
    if (out.system_prompt.empty() && entry.transparency) {
      const auto shown = parse_json(entry.transparency->text);
      if (shown && shown->is_object()) {
        out.system_prompt = text_of(shown->get_object(), "system_prompt");
      }
    }
    out.rows.push_back(std::move(row));
  }
  return out;
}

Result<Rehydrated> rows_from_model_history(const RehydratePayload& payload) {
  Rehydrated out;
  const ModelHistory& history = *payload.model_history;
  for (const ModelHistoryRow& given : history.rows) {
    if (given.conversation_ref && *given.conversation_ref != payload.conversation_ref) {
      return invalid_argument(
          "model_history row conversation_ref does not match rehydrate conversation_ref");
    }
    if (given.revision_id && *given.revision_id != history.revision_id) {
      return invalid_argument("model_history row revision_id does not match its revision_id");
    }
    if (given.role == "system") {
      if (out.system_prompt.empty()) out.system_prompt = content_text(given.content);
      continue;
    }
    GANTRY_ASSIGN(HistoryRow row, read_row(given));
    row.id = given.id.value_or("");
    if (row.role == RowRole::Tool) row.call = given.tool_call_id.value_or("");
    for (const std::string& image : given.image_refs.value_or(std::vector<std::string>())) {
      row.images.push_back({image, "", ""});
    }
    out.rows.push_back(std::move(row));
  }
  return out;
}

PromptMessage prompt_message(const HistoryRow& row) {
  PromptMessage out;
  out.role = role_name(row.role);
  out.content = row.text;
  add_calls(row, out);
  return out;
}

ModelHistoryOutRow wire_row(const HistoryRow& row, const std::string& conversation_ref,
                            const std::string& revision_id) {
  ModelHistoryOutRow out;
  out.id = row.id;
  out.conversation_ref = conversation_ref;
  out.revision_id = revision_id;
  out.role = role_name(row.role);
  out.message_type = row_type_name(row.type);
  out.content = row.text;
  add_calls(row, out);
  std::vector<std::string> images;
  for (const ImageRef& image : row.images) {
    if (!image.artifact.empty()) images.push_back(image.artifact);
  }
  if (!images.empty()) out.image_refs = std::move(images);
  if (row.facts.text != "null") out.compaction_facts = row.facts;
  return out;
}

ModelHistoryUpdated model_history_updated(const SessionHistoryRows& history,
                                          const std::string& conversation_ref,
                                          const std::string& revision_id, std::string_view turn_ref,
                                          std::int64_t at_ms) {
  ModelHistoryUpdated out;
  out.conversation_ref = conversation_ref;
  out.revision_id = revision_id;
  out.checkpoint_id = fmt::format("{}-checkpoint-{}", turn_ref, history.revision);
  out.created_at = iso_time(at_ms);
  out.rows.reserve(history.rows.size());
  for (const HistoryRow& row : history.rows) {
    out.rows.push_back(wire_row(row, conversation_ref, revision_id));
  }
  return out;
}

}  // namespace gantry::agent_ws
