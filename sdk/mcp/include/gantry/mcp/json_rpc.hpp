// SPDX-License-Identifier: Apache-2.0
#pragma once
// JSON-RPC 2.0: reading what a client sends, writing what it gets. Pure: no I/O, any thread.
// Sources: JSON-RPC 2.0; MCP 2025-03-26 (batches), 2025-11-25 and 2026-07-28 (ids, errors).

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gantry::mcp {

enum ErrorCode : int {
  kParseError = -32700,
  kInvalidRequest = -32600,
  kMethodNotFound = -32601,
  kInvalidParams = -32602,
  kInternalError = -32603,
  kResourceNotFound = -32002,  // until 2025-11-25
  kHeaderMismatch = -32020,    // from 2026-07-28, as the two below
  kMissingCapability = -32021,
  kUnsupportedVersion = -32022,
};

/// What a failed request answers. `data` is JSON, or empty.
struct RpcError {
  int code = kInternalError;
  std::string message;
  std::string data;
};

/// One message of a client. Members that its kind does not have are empty.
struct Message {
  enum class Kind { Request, Notification, Response, Invalid };
  Kind kind = Kind::Invalid;
  std::string id;  ///< JSON text of the id: `7`, `"a"`; empty when there is none to repeat.
  std::string method;
  boost::json::object params;
  std::optional<boost::json::value> result;  ///< Response: what was answered, unless `error`.
  std::optional<RpcError> error;             ///< Response: the failure. Invalid: what is wrong.
  std::size_t weight = 0;  ///< Bytes of its text, and 16 for each value: what keeping it costs.
};

struct Parsed {
  bool batch = false;
  std::vector<Message> messages;  ///< Never empty: text that is no JSON is one Invalid message.
};

/// Reads one message or a batch. Refuses what is deeper than 64 levels or not UTF-8, and, before it
/// is read, what has more than `most_values` values (members and elements; a little is over-counted
/// in text that is no JSON): they take thirty times the memory of their text.
[[nodiscard]] Parsed parse_messages(
    std::string_view text, std::size_t most_values = std::numeric_limits<std::size_t>::max());

[[nodiscard]] std::string write_result(std::string_view id, std::string_view result_json);
/// An empty id: `null_id` says whether the answer has `"id":null`, as JSON-RPC wants it, or none,
/// as MCP from 2025-11-25 on.
[[nodiscard]] std::string write_error(std::string_view id, const RpcError& error, bool null_id);
[[nodiscard]] std::string write_request(std::string_view id, std::string_view method,
                                        std::string_view params_json);
/// Empty params are left out.
[[nodiscard]] std::string write_notification(std::string_view method, std::string_view params_json);

/// Text of a JSON value: integers and doubles keep their form.
[[nodiscard]] std::string json_text(const boost::json::value& value);

// Looking into parameters. Nothing when the member is missing or of another type.
[[nodiscard]] const boost::json::value* member(const boost::json::object& object,
                                               std::string_view key);
[[nodiscard]] std::optional<std::string> text_member(const boost::json::object& object,
                                                     std::string_view key);
[[nodiscard]] const boost::json::object* object_member(const boost::json::object& object,
                                                       std::string_view key);

}  // namespace gantry::mcp
