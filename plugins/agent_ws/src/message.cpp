// SPDX-License-Identifier: Apache-2.0
#include "message.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/json/parse.hpp>
#include <utility>

#include "described_shape.hpp"

namespace gantry::agent_ws {
namespace {

namespace json = boost::json;

constexpr std::size_t kDeepest = 128;
constexpr std::size_t kLongestConversation = 4096;
constexpr std::string_view kInvalid = "Invalid message format: ";

// ---- shapes of the payloads ---------------------------------------------------------------------

Shape required_text() {
  Shape text = Shape::text();
  text.not_blank();
  return text;
}

/// The engine keeps a session under it.
std::optional<std::string> conversation_problem(const json::value& name) {
  if (name.get_string().size() <= kLongestConversation) return std::nullopt;
  return fmt::format("must have at most {} bytes", kLongestConversation);
}

Shape conversation() { return required_text().check(conversation_problem); }

Shape optional_name() {
  Shape text = Shape::text();
  text.not_blank().nullable();
  return text;
}

Shape optional_dictionary() {
  Shape object = Shape::dictionary();
  object.nullable();
  return object;
}

Shape repo_messages() {
  Shape entry = shape_of<RepoInstructionMessage>();
  entry.of(name_of(&RepoInstructionMessage::role)) = Shape::choice({"user"});
  entry.of(name_of(&RepoInstructionMessage::content)).length(1, 200'000);
  Shape entries = Shape::list(std::move(entry));
  entries.nullable();
  return entries;
}

Shape layers() {
  Shape entries = Shape::list(prompt_layer_shape());
  entries.nullable();
  return entries;
}

Shape optional_definition() {
  Shape definition = agent_definition_shape();
  definition.nullable();
  return definition;
}

Shape query_shape() {
  Shape shape = shape_of<QueryPayload>();
  shape.of(name_of(&QueryPayload::conversation_ref)) = conversation();
  shape.of(name_of(&QueryPayload::content)).length(1);
  shape.of(name_of(&QueryPayload::query_context)) = optional_dictionary();
  shape.of(name_of(&QueryPayload::capture_meta)) = optional_dictionary();
  shape.of(name_of(&QueryPayload::system_state_internal)) = optional_dictionary();
  shape.of(name_of(&QueryPayload::repo_instruction_messages)) = repo_messages();
  shape.of(name_of(&QueryPayload::client_prompt_layers)) = layers();
  shape.of(name_of(&QueryPayload::agent_definition)) = optional_definition();
  return shape;
}

Shape stop_shape() {
  Shape shape = shape_of<StopQueryPayload>();
  shape.of(name_of(&StopQueryPayload::conversation_ref)) = conversation().nullable();
  shape.of(name_of(&StopQueryPayload::turn_ref)) = optional_name();
  return shape;
}

Shape types_of_rows() {
  Shape type =
      Shape::choice({"user_query", "assistant_response", "tool_output", "context_compaction"});
  type.nullable();
  return type;
}

Shape list_or_none() {
  Shape list = Shape::list(Shape::any());
  list.nullable();
  return list;
}

Shape rehydrate_entry_shape() {
  Shape entry = shape_of<RehydrateMessage>();
  entry.of(name_of(&RehydrateMessage::role)) = Shape::choice({"user", "assistant", "tool"});
  entry.of(name_of(&RehydrateMessage::message_type)) = types_of_rows();
  entry.of(name_of(&RehydrateMessage::tool_calls)) = list_or_none();
  entry.of(name_of(&RehydrateMessage::repo_instruction_messages)) = repo_messages();
  return entry;
}

Shape rehydrate_shape() {
  Shape row = shape_of<ModelHistoryRow>();
  row.of(name_of(&ModelHistoryRow::role)) = Shape::choice({"user", "assistant", "tool", "system"});
  row.of(name_of(&ModelHistoryRow::message_type)) = types_of_rows();
  row.of(name_of(&ModelHistoryRow::tool_calls)) = list_or_none();
  Shape history = shape_of<ModelHistory>();
  history.nullable();
  history.of(name_of(&ModelHistory::revision_id)) = required_text();
  history.of(name_of(&ModelHistory::rows)) = Shape::list(std::move(row));

  Shape shape = shape_of<RehydratePayload>();
  shape.of(name_of(&RehydratePayload::conversation_ref)) = conversation();
  shape.of(name_of(&RehydratePayload::messages)) = Shape::list(rehydrate_entry_shape()).nullable();
  shape.of(name_of(&RehydratePayload::rehydrate_mode)) = Shape::choice({"replace"}).nullable();
  shape.of(name_of(&RehydratePayload::repo_instruction_messages)) = repo_messages();
  shape.of(name_of(&RehydratePayload::model_history)) = std::move(history);
  shape.check([](const json::value& payload) -> std::optional<std::string> {
    const json::object& object = payload.get_object();
    const auto given = [&object](std::string_view name) {
      const json::value* found = object.if_contains(name);
      return found != nullptr && !found->is_null();
    };
    if (given(name_of(&RehydratePayload::messages)) ||
        given(name_of(&RehydratePayload::model_history))) {
      return std::nullopt;
    }
    return "messages or model_history is required";
  });
  return shape;
}

Shape settings_shape() {
  Shape shape = shape_of<UpdateSettingsPayload>();
  shape.of(name_of(&UpdateSettingsPayload::provider_api_keys)).extras(Extras::Ignore);
  shape.of(name_of(&UpdateSettingsPayload::agent_definition)) = optional_definition();
  return shape;
}

Shape attachments() {
  Shape entry = shape_of<DisplayAttachment>();
  entry.of(name_of(&DisplayAttachment::kind)) = Shape::choice({"image", "screenshot_request"});
  entry.of(name_of(&DisplayAttachment::source)) =
      Shape::choice({"tool_result", "replay", "user_included", "camera_button"});
  entry.of(name_of(&DisplayAttachment::status)) =
      Shape::choice({"ready", "failed", "materializing", "pending_capture"});
  entry.check([](const json::value& attachment) -> std::optional<std::string> {
    for (const auto& member : attachment.get_object()) {
      const json::string* text = member.value().if_string();
      if (text != nullptr && text->starts_with("data:")) {
        return "display attachments must not contain inline data";
      }
    }
    return std::nullopt;
  });
  Shape entries = Shape::list(std::move(entry));
  entries.nullable();
  return entries;
}

Shape tool_result_shape() {
  Shape shape = shape_of<ToolResultPayload>();
  shape.of(name_of(&ToolResultPayload::request_id)) = required_text();
  Shape& data = shape.of(name_of(&ToolResultPayload::data));
  data.extras(Extras::Keep);
  data.of(name_of(&ToolResultData::display_attachments)) = attachments();
  data.of(name_of(&ToolResultData::capture_meta)) = optional_dictionary();
  return shape;
}

Shape bundle_result_shape() {
  Shape step = shape_of<StepResult>();
  step.extras(Extras::Keep);
  Shape shape = shape_of<ToolBundleResultPayload>();
  shape.of(name_of(&ToolBundleResultPayload::bundle_id)) = required_text();
  shape.of(name_of(&ToolBundleResultPayload::status)) =
      Shape::choice({"success", "partial_failure", "failure"});
  shape.of(name_of(&ToolBundleResultPayload::step_results)) = Shape::list(std::move(step));
  shape.of(name_of(&ToolBundleResultPayload::display_attachments)) = attachments();
  shape.of(name_of(&ToolBundleResultPayload::capture_meta)) = optional_dictionary();
  return shape;
}

Shape load_settings_shape() {
  Shape shape = shape_of<LoadSettingsPayload>();
  shape.of(name_of(&LoadSettingsPayload::client_version)).length(1, 128);
  return shape;
}

// ---- the table of message types -----------------------------------------------------------------

template <class T>
Payload decode(const json::value& checked) {
  T value{};
  // What passed its shape fits its struct, so this cannot fail.
  (void)codec::read(value, checked, codec::Path{});
  return value;
}

/// What is only looked at: JSON text that must have this shape.
template <class T>
Result<T> read_planned(std::string_view text, const Shape& shape, std::string_view at) {
  std::optional<json::value> value = parse_json(text);
  if (!value) return invalid_argument(std::string(at) + ": " + std::string(kMalformed));
  Findings findings;
  shape.apply(*value, std::string(at), findings);
  if (!findings.empty()) {
    return Error{Code::InvalidArgument, join_findings(findings), to_json(findings)};
  }
  T read{};
  GANTRY_TRY(codec::read(read, *value, codec::Path{}));
  return read;
}

struct Kind {
  MessageType type;
  std::string_view name;
  bool payload_required;
  Shape payload;
  Payload (*decode)(const json::value&);
};

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> table{
      {MessageType::Query, "query", true, query_shape(), &decode<QueryPayload>},
      {MessageType::StopQuery, "stop-query", false, stop_shape(), &decode<StopQueryPayload>},
      {MessageType::Rehydrate, "rehydrate-conversation", true, rehydrate_shape(),
       &decode<RehydratePayload>},
      {MessageType::CompactHistory, "compact-history", false, shape_of<CompactHistoryPayload>(),
       &decode<CompactHistoryPayload>},
      {MessageType::LoadSettings, "load-settings", false, load_settings_shape(),
       &decode<LoadSettingsPayload>},
      {MessageType::UpdateSettings, "update-settings", true, settings_shape(),
       &decode<UpdateSettingsPayload>},
      {MessageType::ListModels, "list-models", false, shape_of<EmptyPayload>(),
       &decode<EmptyPayload>},
      {MessageType::WakewordDetected, "wakeword-detected", false, shape_of<EmptyPayload>(),
       &decode<EmptyPayload>},
      {MessageType::ToolResult, "tool-result", true, tool_result_shape(),
       &decode<ToolResultPayload>},
      {MessageType::ToolBundleResult, "tool-bundle-result", true, bundle_result_shape(),
       &decode<ToolBundleResultPayload>},
  };
  return table;
}

const Kind* find_kind(std::string_view name) {
  const auto& table = kinds();
  const auto found = std::find_if(table.begin(), table.end(),
                                  [name](const Kind& kind) { return kind.name == name; });
  return found == table.end() ? nullptr : &*found;
}

/// The envelope without its payload.
Shape envelope_shape() {
  Shape shape = Shape::object("IncomingMessage");
  const auto optional_text = [] { return Shape::text().nullable(); };
  Shape id = Shape::text();
  id.trimmed().length(1, 128).characters("_-", "^[a-zA-Z0-9_-]+$");
  shape.member("id", std::move(id), true);
  shape.member("type", Shape::any(), true);
  for (const char* name : {"user_id", "session_id", "conversation_ref", "turn_ref", "event_id"}) {
    shape.member(name, optional_text(), false);
  }
  shape.member("sequence", Shape::integer().nullable(), false);
  shape.member("timestamp", Shape::any(), false);
  return shape;
}

/// What the words of Python are for the type of a JSON value.
std::string_view python_type(const json::value& value) {
  switch (value.kind()) {
    case json::kind::null: return "NoneType";
    case json::kind::bool_: return "bool";
    case json::kind::int64:
    case json::kind::uint64: return "int";
    case json::kind::double_: return "float";
    case json::kind::string: return "str";
    case json::kind::array: return "list";
    case json::kind::object: return "dict";
  }
  return "object";
}

Read refused(std::string text) { return {std::nullopt, std::move(text)}; }

Read unknown_type(const json::value* type) {
  if (type == nullptr) {
    return refused(fmt::format("{}: Unable to extract tag using discriminator 'type'", kInvalid));
  }
  const json::string* name = type->if_string();
  std::string expected;
  for (const Kind& kind : kinds()) {
    expected += fmt::format("{}'{}'", expected.empty() ? "" : ", ", kind.name);
  }
  constexpr std::size_t kShown = 64;  // of what may be a megabyte
  const std::string shown = name == nullptr ? codec::serialize(*type) : std::string(*name);
  return refused(fmt::format(
      "{}: Input tag '{}' found using 'type' does not match any of the expected tags: {}", kInvalid,
      std::string_view(shown).substr(0, kShown), expected));
}

}  // namespace

std::optional<json::value> parse_json(std::string_view text) {
  json::error_code problem;
  json::parse_options options;
  options.max_depth = kDeepest;
  json::value value = json::parse({text.data(), text.size()}, problem, {}, options);
  if (problem) return std::nullopt;
  return value;
}

std::string too_large(std::size_t bytes) {
  return fmt::format("Message too large: {} bytes (max: {} bytes)", bytes, kMaxMessage);
}

std::string_view type_name(MessageType type) {
  for (const Kind& kind : kinds()) {
    if (kind.type == type) return kind.name;
  }
  return {};
}

Read read_message(std::string_view text) {
  static const Shape envelope = envelope_shape();
  std::optional<json::value> root = parse_json(text);
  if (!root) return refused(std::string(kMalformed));
  json::object* object = root->if_object();
  if (object == nullptr) {
    return refused(fmt::format("{}root must be an object, got {}", kInvalid, python_type(*root)));
  }
  const json::value* type = object->if_contains("type");
  const Kind* kind = type != nullptr && type->is_string()
                         ? find_kind({type->get_string().data(), type->get_string().size()})
                         : nullptr;
  if (kind == nullptr) return unknown_type(type);

  Findings findings;
  json::value payload = json::object();
  const json::value* given = object->if_contains("payload");
  const bool absent = given == nullptr || (given->is_null() && !kind->payload_required);
  if (given != nullptr && !absent) payload = std::move(*object->if_contains("payload"));
  object->erase("payload");
  const std::string at(kind->name);
  envelope.apply(*root, at, findings);
  if (absent && kind->payload_required) {
    findings.push_back({at + ".payload", "Field required"});
  } else {
    kind->payload.apply(payload, at + ".payload", findings);
  }
  if (!findings.empty()) return refused(std::string(kInvalid) + join_findings(findings));

  Message message;
  message.id = std::string(root->get_object().at("id").get_string());
  message.type = kind->type;
  message.payload = kind->decode(payload);
  message.raw = std::move(payload.get_object());
  return {std::move(message), {}};
}

Result<QueryPayload> read_planned_query(std::string_view payload) {
  static const Shape shape = query_shape()
                                 .not_required(name_of(&QueryPayload::text))
                                 .not_required(name_of(&QueryPayload::conversation_ref));
  return read_planned<QueryPayload>(payload, shape, "query.payload");
}

Result<std::vector<RehydrateMessage>> read_planned_messages(std::string_view list) {
  static const Shape shape = Shape::list(rehydrate_entry_shape()
                                             .not_required(name_of(&RehydrateMessage::content))
                                             .extras(Extras::Ignore));
  return read_planned<std::vector<RehydrateMessage>>(list, shape, "messages");
}

std::optional<Handshake> read_handshake(std::string_view text, bool tolerate_legacy,
                                        std::string& problem) {
  static const Shape shape = [] {
    Shape handshake = Shape::object("HandshakeMessage");
    handshake.member("type", Shape::choice({"handshake"}), true);
    handshake.member("user_id", Shape::text().not_blank(), true);
    handshake.member("agent_definition", optional_definition(), false);
    return handshake;
  }();
  std::optional<json::value> root = parse_json(text);
  if (!root || !root->is_object()) {
    problem = root ? "the handshake is no JSON object" : "the handshake is no JSON";
    return std::nullopt;
  }
  std::string operating_system;
  if (json::value* legacy = root->get_object().if_contains("operating_system");
      tolerate_legacy && legacy != nullptr && (legacy->is_string() || legacy->is_null())) {
    if (legacy->is_string()) operating_system = std::string(legacy->get_string());
    root->get_object().erase("operating_system");
  }
  Findings findings;
  shape.apply(*root, "", findings);
  if (!findings.empty()) {
    problem = join_findings(findings);
    return std::nullopt;
  }
  const json::object& object = root->get_object();
  Handshake handshake;
  handshake.user_id = std::string(object.at("user_id").get_string());
  if (handshake.user_id == "default_user") {
    problem = "user_id is 'default_user'";
    return std::nullopt;
  }
  if (const json::value* given = object.if_contains("agent_definition");
      given != nullptr && !given->is_null()) {
    (void)codec::read(handshake.agent_definition, *given, codec::Path{});
  }
  if (!operating_system.empty()) {
    if (!handshake.agent_definition) handshake.agent_definition.emplace();
    auto& runtime = handshake.agent_definition->runtime;
    if (!runtime) runtime.emplace();
    if (!runtime->operating_system) runtime->operating_system = operating_system.substr(0, 64);
  }
  return handshake;
}

}  // namespace gantry::agent_ws
