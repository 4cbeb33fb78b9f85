// SPDX-License-Identifier: Apache-2.0
// Whom a request of HttpConnection is for, and whether it may be made.
#include <utility>

#include "http_connection.hpp"
#include "loop.hpp"
#include "policy.hpp"
#include "server_core.hpp"

namespace gantry::transport {
namespace {

/// What is not there yet has no form of its own to refuse in. Only MCP shares a listener with a
/// protocol that is there before it; it is known by its usual path, or by the header that its
/// clients send with all but their first request.
constexpr std::string_view kRpcRefusal =
    "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32000,\"message\":{message}}}\n";

bool speaks_mcp(const RequestHead& head) {
  return head.path.ends_with("/mcp") || head.count("MCP-Protocol-Version") != 0;
}

}  // namespace

void HttpConnection::find_mount(Readiness readiness) {
  const RequestHead& head = request_->head;
  const auto table = channel_.loop().core().table();
  const std::string& listener = channel_.listener().options.name;
  const bool upgrade = head.upgrade_websocket && head.method == "GET";
  auto found = table->find(listener, head, upgrade);
  if (upgrade && std::holds_alternative<NoRoute>(found)) found = table->find(listener, head, false);
  const auto* none = std::get_if<NoRoute>(&found);
  auto* route = std::get_if<Route>(&found);
  const bool missing = none != nullptr ? none->status == 404 : route->mount->catch_all;
  if (missing && readiness == Readiness::kUnknown && ask_readiness()) return;
  if (missing && readiness == Readiness::kStarting) {
    answer_without_mount({503, "the daemon is starting: try again in a second", {}});
    return;
  }
  if (none != nullptr) {
    answer_without_mount(*none);
    return;
  }
  mount_ = std::move(route->mount);
  request_->params = std::move(route->params);
  authenticate();
}

/// False: there is nobody to ask, because the daemon has started.
bool HttpConnection::ask_readiness() {
  const auto probe = channel_.loop().core().readiness();
  if (!probe) return false;
  state_ = State::kAsking;
  (*probe)([mailbox = channel_.loop().mailbox(), id = channel_.id(), serial = serial_](bool ready) {
    Command command;
    command.kind = CommandKind::kReadiness;
    command.channel = id;
    command.serial = serial;
    command.number = ready ? 1 : 0;
    mailbox->post(std::move(command));
  });
  return true;
}

void HttpConnection::authenticate() {
  const auto authenticator =
      mount_->authenticator ? mount_->authenticator : channel_.listener().guard.get();
  if (!authenticator || mount_->open || is_preflight(request_->head)) {
    authorized();
    return;
  }
  state_ = State::kAuthorizing;
  authenticator->check(request_, [mailbox = channel_.loop().mailbox(), id = channel_.id(),
                                  serial = serial_](Authenticator::Verdict verdict) {
    Command command;
    command.kind = CommandKind::kAuthorized;
    command.channel = id;
    command.serial = serial;
    command.data = std::make_unique<CommandData>();
    command.data->verdict = std::move(verdict);
    mailbox->post(std::move(command));
  });
}

void HttpConnection::answer_without_mount(const NoRoute& none) {
  const RequestHead& head = request_->head;
  if (head.method == "OPTIONS" && (none.status == 405 || head.path == "*")) {
    answer_options(none);
    return;
  }
  OwnedHeaders headers;
  if (!none.allow.empty()) headers.emplace_back("Allow", none.allow);
  if (none.status == 426) headers.emplace_back("Upgrade", "websocket");
  if (none.status == 503) headers.emplace_back("Retry-After", "1");
  const bool rpc = none.status == 503 && speaks_mcp(head);
  const std::string form = rpc ? std::string(kRpcRefusal) : error_pattern();
  refuse({none.status, none.message, false}, std::move(headers), form);
}

void HttpConnection::answer_options(const NoRoute& none) {
  const RequestHead& head = request_->head;
  Response response;
  response.head.status = 200;
  auto& headers = response.head.headers;
  headers.emplace_back(
      "Allow", none.allow.empty() ? "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS" : none.allow);
  if (head.count("Access-Control-Request-Method") == 1) {
    headers.emplace_back("Access-Control-Allow-Methods", none.allow);
    // serialize_head() leaves out values that would break the message.
    const std::string_view wanted = head.find("Access-Control-Request-Headers");
    if (!wanted.empty()) headers.emplace_back("Access-Control-Allow-Headers", std::string(wanted));
    headers.emplace_back("Access-Control-Max-Age", "600");
  }
  send_response(std::move(response));
}

void HttpConnection::authorized() {
  const RequestHead& head = request_->head;
  if (mount_->json_posts_only) {
    if (auto refusal = check_json_post(head)) {
      refuse(*refusal);
      return;
    }
  }
  if (mount_->kind == MountKind::kWebSocket) {
    open_websocket();
    return;
  }
  if (head.body == BodyKind::kLength && head.content_length > body_limit()) {
    refuse({413, "the body may have " + std::to_string(body_limit()) + " bytes at most", true});
    return;
  }
  if (head.body == BodyKind::kChunked) chunks_.emplace(body_limit());
  begin_body();
}

void HttpConnection::open_websocket() {
  const ListenerOptions& options = channel_.listener().options;
  auto read = read_handshake(request_->head, options.deflate);
  if (auto* no = std::get_if<HandshakeRefusal>(&read)) {
    refuse(no->refusal, std::move(no->headers));
    return;
  }
  websocket_ = std::make_shared<WsState>();
  websocket_->writer = channel_.writer();
  websocket_->mailbox = channel_.loop().mailbox();
  websocket_->counters = channel_.loop().core().shared_counters;
  websocket_->channel = channel_.id();
  auto& offer = std::get<WsOffer>(read);
  if (offer.deflate) websocket_->deflate = offer.deflate->params;
  websocket_->handshake = std::make_unique<WsHandshake>(WsHandshake{request_, std::move(offer)});
  websocket_->credit = options.limits.receive_credit;
  websocket_->message_limit =
      mount_->message_bytes > 0 ? mount_->message_bytes : options.limits.message_bytes;
  websocket_->close_answer_ms = mount_->close_answer_ms;
  websocket_->deflate_level = options.deflate.level;
  websocket_->deflate_min_bytes = options.deflate.min_bytes;
  state_ = State::kUpgrading;
  const MountPtr mount = mount_;
  mount->handler->on_websocket(make_ws_socket(websocket_));
}

}  // namespace gantry::transport
