// SPDX-License-Identifier: Apache-2.0
#include "incoming.hpp"

#include <gantry/codec.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <utility>

namespace gantry::chat_cortask {
namespace {

namespace json = boost::json;

constexpr std::size_t kDeepest = 64;
constexpr std::size_t kMostAttachments = 64;
constexpr std::size_t kMostReferences = 256;

// The members of the messages, each spelt once.
constexpr std::string_view kType = "type";
constexpr std::string_view kSessionKey = "sessionKey";
constexpr std::string_view kMessage = "message";
constexpr std::string_view kWorkspaceId = "workspaceId";
constexpr std::string_view kAttachments = "attachments";
constexpr std::string_view kMimeType = "mimeType";
constexpr std::string_view kBase64 = "base64";
constexpr std::string_view kName = "name";
constexpr std::string_view kFileReferences = "fileReferences";
constexpr std::string_view kRequestId = "requestId";
constexpr std::string_view kApproved = "approved";
constexpr std::string_view kResponses = "responses";

/// The member, or nullptr when it is missing or null.
const json::value* member(const json::object& object, std::string_view name) {
  const json::value* found = object.if_contains(name);
  return found == nullptr || found->is_null() ? nullptr : found;
}

std::optional<std::string> text_member(const json::object& object, std::string_view name) {
  const json::value* found = member(object, name);
  if (found == nullptr || !found->is_string()) return std::nullopt;
  return std::string(found->get_string());
}

/// What JavaScript takes for true.
bool is_truthy(const json::value* value) {
  if (value == nullptr) return false;
  switch (value->kind()) {
    case json::kind::null: return false;
    case json::kind::bool_: return value->get_bool();
    case json::kind::int64: return value->get_int64() != 0;
    case json::kind::uint64: return value->get_uint64() != 0;
    case json::kind::double_: return value->get_double() != 0;
    case json::kind::string: return !value->get_string().empty();
    case json::kind::array:
    case json::kind::object: return true;
  }
  return false;
}

/// Takes "data:…;base64," off, which pages put before what they read of a file.
std::string_view without_data_url(std::string_view text) {
  const std::size_t comma = text.find(',');
  return text.starts_with("data:") && comma != text.npos ? text.substr(comma + 1) : text;
}

std::string read_attachment(const json::value& row, std::size_t number, ChatMessage& out) {
  const json::object* object = row.if_object();
  if (object == nullptr) return fmt::format("Attachment {} is not an object", number);
  const auto encoded = text_member(*object, kBase64);
  if (!encoded) return fmt::format("Attachment {} has no text in '{}'", number, kBase64);
  auto bytes = codec::read_base64(without_data_url(*encoded));
  if (!bytes.ok()) return fmt::format("Attachment {} is not valid base64", number);
  out.attachments.push_back({text_member(*object, kMimeType).value_or(""), std::move(*bytes),
                             text_member(*object, kName).value_or("")});
  return {};
}

std::string read_attachments(const json::object& object, ChatMessage& out) {
  const json::value* list = member(object, kAttachments);
  if (list == nullptr) return {};
  if (!list->is_array()) return fmt::format("'{}' must be a list", kAttachments);
  if (list->get_array().size() > kMostAttachments) {
    return fmt::format("A message takes at most {} attachments", kMostAttachments);
  }
  for (const json::value& row : list->get_array()) {
    std::string problem = read_attachment(row, out.attachments.size() + 1, out);
    if (!problem.empty()) return problem;
  }
  return {};
}

std::string read_references(const json::object& object, ChatMessage& out) {
  const json::value* list = member(object, kFileReferences);
  if (list == nullptr) return {};
  if (!list->is_array()) return fmt::format("'{}' must be a list", kFileReferences);
  if (list->get_array().size() > kMostReferences) {
    return fmt::format("A message takes at most {} file references", kMostReferences);
  }
  for (const json::value& row : list->get_array()) {
    if (!row.is_string()) return fmt::format("'{}' must be texts", kFileReferences);
    out.file_references.emplace_back(row.get_string());
  }
  return {};
}

std::string read_texts(const json::object& object, ChatMessage& out) {
  const json::value* key = member(object, kSessionKey);
  if (key == nullptr) return fmt::format("'{}' is required", kSessionKey);
  if (!key->is_string()) return fmt::format("'{}' must be a text", kSessionKey);
  const json::value* message = member(object, kMessage);
  if (message == nullptr) return fmt::format("'{}' is required", kMessage);
  if (!message->is_string()) return fmt::format("'{}' must be a text", kMessage);
  out.text = std::string(message->get_string());
  return {};
}

ClientMessage read_chat(const json::object& object) {
  ChatMessage out;
  out.session_key = text_member(object, kSessionKey);
  out.workspace = text_member(object, kWorkspaceId).value_or("");
  out.problem = read_texts(object, out);
  if (out.problem.empty()) out.problem = read_attachments(object, out);
  if (out.problem.empty()) out.problem = read_references(object, out);
  return out;
}

ClientMessage read_cancel(const json::object& object) {
  auto key = text_member(object, kSessionKey);
  if (!key) return NoMessage{};
  return CancelMessage{std::move(*key)};
}

ClientMessage read_permission(const json::object& object) {
  auto request = text_member(object, kRequestId);
  if (!request) return NoMessage{};
  return PermissionAnswer{std::move(*request), is_truthy(member(object, kApproved))};
}

ClientMessage read_questionnaire(const json::object& object) {
  auto request = text_member(object, kRequestId);
  if (!request) return NoMessage{};
  const json::value* responses = member(object, kResponses);
  QuestionnaireReply out{std::move(*request), Json("{}")};
  if (responses != nullptr && responses->is_object()) {
    out.responses = Json(codec::serialize(*responses));
  }
  return out;
}

struct TypeRow {
  std::string_view type;
  ClientMessage (*read)(const json::object& object);
};
constexpr std::array kTypes = {
    TypeRow{"chat", &read_chat},
    TypeRow{"cancel", &read_cancel},
    TypeRow{"permission_response", &read_permission},
    TypeRow{"questionnaire_response", &read_questionnaire},
};

}  // namespace

ClientMessage read_message(std::string_view text) {
  json::parse_options options;
  options.max_depth = kDeepest;
  json::error_code problem;
  const json::value parsed = json::parse(text, problem, {}, options);
  if (problem) return BadMessage{};
  const json::object* object = parsed.if_object();
  if (object == nullptr) return NoMessage{};
  const auto type = text_member(*object, kType);
  if (!type) return NoMessage{};
  const auto* const row = std::find_if(kTypes.begin(), kTypes.end(),
                                       [&type](const TypeRow& one) { return one.type == *type; });
  return row == kTypes.end() ? ClientMessage(NoMessage{}) : row->read(*object);
}

}  // namespace gantry::chat_cortask
