// SPDX-License-Identifier: Apache-2.0
//
// HTTP and WebSocket mounts. A protocol plugin asks the transport for a listener and mounts routes
// on it; the transport then calls back: `gantry.http.handle/1` for whole exchanges, and streams
// `gantry.http.exchange/1` and `gantry.ws.connect/1`, always with the mounting plugin as target.
#pragma once

#include <gantry/buffer.hpp>
#include <gantry/contracts/common.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gantry {

struct HttpHeader {
  std::string name;
  std::string value;
};
BOOST_DESCRIBE_STRUCT(HttpHeader, (), (name, value))

struct HttpParameter {
  std::string name;
  std::string value;
};
BOOST_DESCRIBE_STRUCT(HttpParameter, (), (name, value))

/// Asks for a listener. The transport's own configuration of the same name wins over what is asked
/// here; asking again for a listener that exists returns it, with the bearer_token of now.
struct ListenRequest {
  std::string listener;                      // name, for example "observer"
  std::string host = "127.0.0.1";            // a literal address or localhost
  std::int32_t port = 0;                     // 0: any free port
  std::string unix_path;                     // not empty: a Unix-domain socket instead, mode 0600
  bool authenticated = false;                // every mount on it authenticates: needed off loopback
  std::vector<std::string> allowed_hosts;    // names besides loopback that Host may carry
  std::vector<std::string> allowed_origins;  // origins besides the listener's own
  // Not empty: whatever is mounted without a bearer_token of its own asks for this one, whoever
  // mounts it. Never logged.
  std::string bearer_token;
};
BOOST_DESCRIBE_STRUCT(ListenRequest, (),
                      (listener, host, port, unix_path, authenticated, allowed_hosts,
                       allowed_origins, bearer_token))

struct ListenerInfo {
  std::string listener;
  std::string address;  // "http://127.0.0.1:5001", "https://…", "unix:/run/…"
  std::string host;
  std::int32_t port = 0;
  std::vector<std::string> mounts;  // "GET /api/windows (rest_observer)"
};
BOOST_DESCRIBE_STRUCT(ListenerInfo, (), (listener, address, host, port, mounts))

/// Errors: already_exists (another program has the port), permission_denied, invalid_argument (the
/// address), failed_precondition (a non-loopback address without authentication), unavailable.
struct HttpListen {
  static constexpr std::string_view kName = "gantry.http.listen/1";
  static constexpr std::string_view kDoc = "Opens a listener by name.";
  using Request = ListenRequest;
  using Response = ListenerInfo;
};

struct ListenerList {
  std::vector<ListenerInfo> listeners;
};
BOOST_DESCRIBE_STRUCT(ListenerList, (), (listeners))

struct HttpListeners {
  static constexpr std::string_view kName = "gantry.http.listeners/1";
  static constexpr std::string_view kDoc = "Lists the listeners and what is mounted on them.";
  using Request = Nothing;
  using Response = ListenerList;
};

enum class MountKind : std::uint8_t { Request, Exchange, WebSocket };
BOOST_DESCRIBE_ENUM(MountKind, Request, Exchange, WebSocket)

/// One route. `path` may end in "/*" (the rest of the path) and may hold "{name}" segments.
struct HttpRoute {
  MountKind kind = MountKind::Request;
  std::vector<std::string> methods;  // empty: GET (and with it HEAD)
  std::string path;
  std::string id;             // comes back with each request: the plugin's own route name
  std::int64_t max_body = 0;  // bytes; 0: the listener's limit (10 MiB)
  bool require_json_for_browsers = true;  // POST with Origin or Sec-Fetch-Site needs a JSON type
  bool open = false;  // needs no bearer_token of the mount: what a browser loads before it has one
  std::vector<std::string> subprotocols;  // WebSocket: offered, in order of preference
  std::int64_t max_message = 0;           // WebSocket; 0: the listener's limit (10 MiB)
  // WebSocket; milliseconds in which the plugin may still send after the client's close
  std::int64_t close_answer = 0;
};
BOOST_DESCRIBE_STRUCT(HttpRoute, (),
                      (kind, methods, path, id, max_body, require_json_for_browsers, open,
                       subprotocols, max_message, close_answer))

struct MountRequest {
  std::string listener;
  std::string host;    // only for requests to this host name; empty: any
  std::string prefix;  // put before every path
  // Not empty: requests must carry it (Authorization: Bearer). Never logged.
  std::string bearer_token;
  std::vector<HttpRoute> routes;
  std::optional<std::string> not_found_id;  // requests under the prefix that no route takes go here
  bool own_authentication = false;          // the plugin checks credentials itself, on every route
  std::string error_template;  // body of the transport's own refusals: {status} {message} {reason}
};
BOOST_DESCRIBE_STRUCT(MountRequest, (),
                      (listener, host, prefix, bearer_token, routes, not_found_id,
                       own_authentication, error_template))

/// What is mounted with one request appears at once. A listener on which nothing is mounted yet,
/// and every path without a mount until the daemon is ready, answer 503 with Retry-After. Errors:
/// not_found (no such listener), already_exists (overlaps another mount; names both),
/// invalid_argument (a path or method), failed_precondition (no authentication, and other machines
/// can reach the listener). On an error nothing is mounted, and what was mounted before stays.
struct HttpMount {
  static constexpr std::string_view kName = "gantry.http.mount/1";
  static constexpr std::string_view kDoc = "Mounts routes on a listener.";
  using Request = MountRequest;
  using Response = Done;
};

struct HttpRequest {
  std::string route;  // HttpRoute::id
  std::string method;
  std::string target;  // as sent
  std::string path;    // decoded, without the query
  std::vector<HttpParameter> path_parameters;
  std::vector<HttpParameter> query;  // decoded, in order
  std::vector<HttpHeader> headers;   // names in lower case, in order
  Buffer body;
  std::string listener;
  std::string peer;  // "127.0.0.1:51234", "unix"
  bool tls = false;
  std::uint64_t connection = 0;
};
BOOST_DESCRIBE_STRUCT(HttpRequest, (),
                      (route, method, target, path, path_parameters, query, headers, body, listener,
                       peer, tls, connection))

struct HttpResponse {
  std::int32_t status = 200;
  std::vector<HttpHeader> headers;  // Content-Length, Date and Connection are the transport's
  std::string content_type;
  Buffer body;
  bool close = false;  // close the connection afterwards
};
BOOST_DESCRIBE_STRUCT(HttpResponse, (), (status, headers, content_type, body, close))

/// Served by a protocol plugin for routes of kind Request.
struct HttpHandle {
  static constexpr std::string_view kName = "gantry.http.handle/1";
  static constexpr std::string_view kDoc = "Answers one HTTP request.";
  using Request = HttpRequest;
  using Response = HttpResponse;
};

/// First chunk: the head; then data; the stream's end ends the body.
struct HttpPart {
  std::optional<HttpResponse> head;  // its body, if any, comes first
  Buffer data;
};
BOOST_DESCRIBE_STRUCT(HttpPart, (), (head, data))

/// Served by a protocol plugin for routes of kind Exchange: streaming answers (Server-Sent Events).
/// The client's going away closes the stream as cancelled.
struct HttpExchange {
  static constexpr std::string_view kName = "gantry.http.exchange/1";
  static constexpr std::string_view kDoc = "Answers one HTTP request in parts.";
  using Opening = HttpRequest;
  using Down = HttpPart;
  using Up = Nothing;
};

/// Accept comes from the plugin only, before its first message, and carries no data. Close comes to
/// the plugin only, from routes with `close_answer`: the client has said its last word and still
/// listens; what was meant for it may be sent, and closing the stream then ends the connection.
enum class WsOpcode : std::uint8_t { Text, Binary, Accept, Close };
BOOST_DESCRIBE_ENUM(WsOpcode, Text, Binary, Accept, Close)

/// One whole WebSocket message, or from the plugin the accepting of the handshake.
struct WsMessage {
  WsOpcode opcode = WsOpcode::Text;
  Buffer data;
};
BOOST_DESCRIBE_STRUCT(WsMessage, (), (opcode, data))

struct WsOpening {
  HttpRequest request;
  std::string subprotocol;  // the one that was chosen, or empty
};
BOOST_DESCRIBE_STRUCT(WsOpening, (), (request, subprotocol))

/// Served by a protocol plugin for routes of kind WebSocket. The first chunk that the plugin sends
/// accepts the handshake: an empty one with the opcode Accept, or at once a message. Closing the
/// stream before that with an error refuses it (unauthenticated 401,
/// permission_denied 403, not_found 404, else 503). Later, closing with an error whose detail is
/// {"close_code":4001,"reason":"…"} sends that close frame; the client's close arrives as the end
/// of the stream with the same detail. Credit is back-pressure: a plugin that does not take chunks
/// makes the transport stop reading that socket.
struct WsConnect {
  static constexpr std::string_view kName = "gantry.ws.connect/1";
  static constexpr std::string_view kDoc = "One WebSocket connection.";
  using Opening = WsOpening;
  using Down = WsMessage;
  using Up = WsMessage;
};

}  // namespace gantry
