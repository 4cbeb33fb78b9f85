// SPDX-License-Identifier: Apache-2.0
#pragma once
// Reading what comes from a client: text to a checked message, or the exact words of the refusal.
// Pure, any thread.

#include <gantry/result.hpp>

#include <boost/json/value.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "incoming.hpp"
#include "shape.hpp"

namespace gantry::agent_ws {

/// Messages above this are refused with an error, and the connection stays. Bytes.
inline constexpr std::size_t kMaxMessage = 10 << 20;
/// From this size on a message is parsed on a thread of the blocking pool. Bytes.
inline constexpr std::size_t kLargeMessage = 64 << 10;

inline constexpr std::string_view kMalformed = "Malformed JSON";

using Payload = std::variant<QueryPayload, StopQueryPayload, RehydratePayload,
                             CompactHistoryPayload, LoadSettingsPayload, UpdateSettingsPayload,
                             EmptyPayload, ToolResultPayload, ToolBundleResultPayload>;

enum class MessageType : std::uint8_t {
  Query,
  StopQuery,
  Rehydrate,
  CompactHistory,
  LoadSettings,
  UpdateSettings,
  ListModels,
  WakewordDetected,
  ToolResult,
  ToolBundleResult
};

struct Message {
  std::string id;
  MessageType type = MessageType::ListModels;
  Payload payload;
  /// Members of the payload as they came: update-settings names its keys in their order, and
  /// results of tools keep what this server does not know.
  boost::json::object raw;
};

/// A message, or what the client is told ("Malformed JSON", "Invalid message format: …").
struct Read {
  std::optional<Message> message;
  std::string refusal;
};

[[nodiscard]] Read read_message(std::string_view text);

/// "Message too large: 10485761 bytes (max: 10485760 bytes)".
[[nodiscard]] std::string too_large(std::size_t bytes);

/// The payload of a query that is not sent: its text and conversation may be missing. Errors:
/// invalid_argument, with what join_findings() says, and the findings as detail.
[[nodiscard]] Result<QueryPayload> read_planned_query(std::string_view payload);

/// A conversation that is only looked at: entries as rehydrate-conversation has them, other members
/// of theirs are ignored. Errors as above.
[[nodiscard]] Result<std::vector<RehydrateMessage>> read_planned_messages(std::string_view list);

/// The name of a message type on the wire.
[[nodiscard]] std::string_view type_name(MessageType type);

/// Strict JSON, 128 levels deep at most. Nothing when it is none.
[[nodiscard]] std::optional<boost::json::value> parse_json(std::string_view text);

struct Handshake {
  std::string user_id;  // as claimed; the token decides who it is
  std::optional<AgentDefinition> agent_definition;
};

/// Checks the first frame. Nothing when it is none that this server takes: `problem` says why, for
/// the log. `tolerate_legacy`: a top-level `operating_system` is taken as the runtime's.
[[nodiscard]] std::optional<Handshake> read_handshake(std::string_view text, bool tolerate_legacy,
                                                      std::string& problem);

}  // namespace gantry::agent_ws
