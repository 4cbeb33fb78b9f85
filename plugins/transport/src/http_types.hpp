// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a request is once it has been found acceptable, and what an answer consists of.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bytes.hpp"

namespace gantry::transport {

struct HeaderField {
  std::string_view name;
  std::string_view value;
};

/// Why a request is not served: the status to answer and one sentence for the client.
/// `close` ends the connection, because what follows on it cannot be trusted to be a request.
struct Refusal {
  int status = 0;
  std::string message;
  bool close = false;
};

enum class BodyKind : uint8_t { kNone, kLength, kChunked };

/// A parsed head. The views point into `text`, whose characters never move.
struct RequestHead {
  std::unique_ptr<char[]> text;
  std::string_view method;
  std::string_view target;  ///< as sent
  std::string_view path;    ///< target without scheme, authority and query; still percent-encoded
  std::string_view query;   ///< after '?', without it
  std::string_view host;    ///< Host field or the authority of an absolute target; may be empty
  std::vector<HeaderField> fields;
  uint64_t content_length = 0;
  BodyKind body = BodyKind::kNone;
  int minor_version = 1;  ///< HTTP/1.x
  bool keep_alive = true;
  bool expect_continue = false;
  bool upgrade_websocket = false;

  /// The first field of that name (any case), or an empty view with a null data pointer.
  std::string_view find(std::string_view name) const;
  size_t count(std::string_view name) const;
};

/// Where a connection comes from.
struct PeerInfo {
  std::string address;  ///< "127.0.0.1", "::1" or "unix"
  uint16_t port = 0;
  bool loopback = true;  ///< loopback address or Unix socket
  bool tls = false;
  std::string listener;
  std::string local_address;  ///< numeric address this end has; empty on Unix sockets
  int64_t unix_uid = -1;      ///< peer credential of a Unix socket
};

/// One request as a mount sees it. Immutable after dispatch; share it between threads freely.
struct Request {
  RequestHead head;
  std::string body;
  std::vector<std::pair<std::string, std::string>> params;  ///< {name} and "*" of the pattern
  std::shared_ptr<const PeerInfo> peer;
  std::string principal;  ///< what the mount's authenticator says; empty without one
  uint64_t connection = 0;

  std::string_view param(std::string_view name) const;
};
using RequestPtr = std::shared_ptr<const Request>;

using OwnedHeaders = std::vector<std::pair<std::string, std::string>>;

struct ResponseHead {
  int status = 200;
  OwnedHeaders headers;  ///< Content-Length, Transfer-Encoding, Connection and Date are ours
  std::string content_type;
  bool close = false;  ///< end the connection after the answer
};

struct Response {
  ResponseHead head;
  Bytes body;
};

/// Reason phrase of RFC 9110; "Unknown" for a code that has none here.
std::string_view reason_phrase(int status);

/// Answers that have no body by definition (RFC 9110 6.4.1): 1xx, 204, 304.
bool status_forbids_body(int status);

/// RFC 9110 token: 1*tchar.
bool is_token(std::string_view text);

bool equals_ignoring_case(std::string_view a, std::string_view b);

/// With ASCII letters in lower case.
std::string lowered(std::string_view text);

/// Whether a comma-separated field value has `token` among its members (any case).
bool list_contains(std::string_view list, std::string_view token);

std::string_view trim(std::string_view text);

/// `text` as a JSON string; bytes that are no UTF-8 become the replacement character.
std::string json_quote(std::string_view text);

/// {"error": message}
Response error_response(int status, std::string_view message);

}  // namespace gantry::transport
