// SPDX-License-Identifier: Apache-2.0
// The answering half of HttpConnection.
#include <algorithm>
#include <charconv>
#include <utility>

#include "http_connection.hpp"
#include "loop.hpp"
#include "policy.hpp"
#include "server_core.hpp"
#include "ws_connection.hpp"

namespace gantry::transport {
namespace {

constexpr size_t kJoinChunkBytes = 16 * 1024;  // smaller chunks are copied next to their size line

void count_status(Counters& counters, int status) {
  const auto hundreds = static_cast<size_t>(std::clamp(status / 100, 0, 5));
  counters.responses[hundreds].fetch_add(1, std::memory_order_relaxed);
}

std::string hex(size_t value) {
  char text[20];
  const auto end = std::to_chars(text, text + sizeof text, value, 16).ptr;
  return {text, end};
}

}  // namespace

std::string HttpConnection::error_pattern() const {
  if (mount_) return mount_->error_template;
  const MountPtr form = channel_.loop().core().table()->form_of(
      channel_.listener().options.name, request_ ? &request_->head : nullptr);
  return form ? form->error_template : std::string();
}

HeadFraming HttpConnection::framing_for(int status, uint64_t length) const {
  HeadFraming framing;
  framing.framing = status_forbids_body(status) ? Framing::kNone : Framing::kLength;
  framing.length = length;
  framing.keep_alive = keep_alive_;
  framing.minor_version = request_ ? request_->head.minor_version : 1;
  return framing;
}

/// A listed origin may read the answer, unless the mount has said itself who may. There is no
/// wildcard, and loopback pages may only send: reading is a grant of its own.
void HttpConnection::add_cors(OwnedHeaders& headers) const {
  if (!request_) return;
  const std::string_view origin = request_->head.find("Origin");
  if (origin.empty() || !is_listed_origin(origin, channel_.listener().options.access)) return;
  for (const auto& field : headers) {
    if (equals_ignoring_case(field.first, "Access-Control-Allow-Origin")) return;
  }
  headers.emplace_back("Access-Control-Allow-Origin", std::string(origin));
  headers.emplace_back("Vary", "Origin");
}

void HttpConnection::send_response(Response response) {
  // With a body still to come and no room to drain it, the client must know that we close.
  const bool large_rest = !body_done_ && body_left_ > limits().drain_bytes;
  const bool undecided =
      !body_done_ && request_ && request_->head.expect_continue && !sent_continue_;
  if (large_rest || undecided || channel_.peer_ended() || response.head.close) keep_alive_ = false;
  add_cors(response.head.headers);
  const HeadFraming framing = framing_for(response.head.status, response.body.size());
  const bool bodiless =
      framing.framing == Framing::kNone || (request_ && request_->head.method == "HEAD");
  std::string head = serialize_head(response.head, framing, channel_.loop().http_date());
  count_status(channel_.loop().core().counters, response.head.status);
  channel_.writer()->send(Bytes(std::move(head)), bodiless ? Bytes() : response.body, false);
  if (channel_.writer()->crowded_out()) return overflow();
  begin_drain_or_finish();
}

void HttpConnection::refuse(const Refusal& refusal, OwnedHeaders headers, std::string_view form) {
  if (refusal.close) keep_alive_ = false;
  Response response;
  response.head.status = refusal.status;
  response.head.content_type = "application/json";
  response.head.headers = std::move(headers);
  if (refusal.status == 401) response.head.headers.emplace_back("WWW-Authenticate", "Bearer");
  response.body = Bytes(error_body(form, refusal.status, refusal.message));
  if (!request_ || refusal.status == 400) {
    channel_.loop().core().counters.protocol_errors.fetch_add(1, std::memory_order_relaxed);
  }
  send_response(std::move(response));
}

void HttpConnection::start_stream(ResponseHead head, int64_t length) {
  if (channel_.peer_ended() || head.close) keep_alive_ = false;
  HeadFraming framing =
      framing_for(head.status, static_cast<uint64_t>(std::max<int64_t>(length, 0)));
  if (framing.framing != Framing::kNone && length < 0) {
    framing.framing = framing.minor_version == 0 ? Framing::kClose : Framing::kChunked;
    if (framing.framing == Framing::kClose) framing.keep_alive = keep_alive_ = false;
  }
  const bool bodiless = request_->head.method == "HEAD";
  stream_framing_ = bodiless ? Framing::kNone : framing.framing;
  stream_left_ = stream_framing_ == Framing::kLength ? length : -1;
  add_cors(head.headers);
  count_status(channel_.loop().core().counters, head.status);
  channel_.writer()->send(Bytes(serialize_head(head, framing, channel_.loop().http_date())), {},
                          false);
  channel_.set_deadline(0);
  state_ = State::kStreaming;
  leaving_ = false;
  stream_unsent_ = 0;
}

void HttpConnection::write_stream(Bytes chunk) {
  const size_t size = chunk.size();
  if (stream_framing_ == Framing::kLength) {
    if (static_cast<int64_t>(size) > stream_left_) {
      abandon();  // more than was announced would be read as the next answer
      return;
    }
    stream_left_ -= static_cast<int64_t>(size);
  }
  const auto& writer = channel_.writer();
  const bool limited = !exchange_->unbounded;
  SendResult result = SendResult::kSent;
  if (stream_framing_ == Framing::kChunked) {
    std::string line = hex(size) + "\r\n";
    if (size <= kJoinChunkBytes) {
      line += chunk.view();
      line += "\r\n";
      result = writer->send(Bytes(std::move(line)), {}, limited);
    } else {
      result = writer->send(Bytes(std::move(line)), chunk, limited);
      if (result != SendResult::kDropped) result = writer->send(Bytes::literal("\r\n"), {}, false);
    }
  } else if (stream_framing_ != Framing::kNone) {
    result = writer->send(chunk, {}, limited);
  }
  if (result == SendResult::kDropped) {
    overflow();
    return;
  }
  stream_unsent_ += size;
  if (writer->queued_bytes() == 0) {
    stream_drained();
  } else {
    channel_.set_deadline(channel_.now_ms() + limits().send_timeout_ms);
  }
}

void HttpConnection::finish_stream() {
  if (stream_framing_ == Framing::kLength && stream_left_ != 0) {
    abandon();
    return;
  }
  if (stream_framing_ == Framing::kChunked) {
    channel_.writer()->send(Bytes::literal("0\r\n\r\n"), {}, false);
  }
  if (channel_.writer()->crowded_out()) return overflow();
  begin_drain_or_finish();
}

/// The handler let go of the exchange without completing it.
void HttpConnection::abandon() {
  if (state_ == State::kStreaming) {
    lose_exchange();
    channel_.destroy();  // cut, so that the client sees that the answer is not whole
    return;
  }
  refuse({500, "the request was not answered", false});
}

void HttpConnection::overflow() {
  channel_.loop().core().counters.slow_consumers.fetch_add(1, std::memory_order_relaxed);
  lose_exchange();
  channel_.destroy();
}

void HttpConnection::lose_exchange() {
  if (exchange_) {
    exchange_->gone = true;
    if (auto sink = std::exchange(exchange_->sink, nullptr)) sink->on_gone();
    exchange_.reset();
  }
  if (websocket_) {
    std::shared_ptr<WsSink> sink;
    {
      const std::lock_guard lock(websocket_->mutex);
      websocket_->gone = true;
      websocket_->phase = WsState::Phase::kClosed;
      sink.swap(websocket_->sink);
      websocket_->handshake.reset();
    }
    if (sink) sink->on_closed(kWsAbnormal, "the connection broke", true);
    websocket_.reset();
  }
}

void HttpConnection::on_drained() {
  if (state_ == State::kFlushing) {
    next_request();
    advance();
  } else if (state_ == State::kStreaming && exchange_) {
    channel_.set_deadline(leaving_ ? channel_.now_ms() + kDepartureMs : 0);
    stream_drained();
  }
}

/// The operating system has all that was written to the stream, but for what is in the mailbox.
void HttpConnection::stream_drained() {
  const size_t sent = std::exchange(stream_unsent_, 0);
  const bool empty = exchange_->queued.fetch_sub(sent) == sent;
  if (empty && exchange_->wants_writable.exchange(false) && exchange_->sink) {
    exchange_->sink->on_writable();
  }
}

void HttpConnection::on_command(Command& command) {
  if (command.kind == CommandKind::kWsAccept && websocket_) {
    auto state = std::exchange(websocket_, nullptr);
    const std::string rest(unread());
    auto next = std::make_unique<WsConnection>(channel_, std::move(state));
    WsConnection& connection = *next;
    Channel& channel = channel_;
    channel.become(std::move(next));  // this object lives on until the round ends
    connection.begin(rest);
    channel.pump();
    return;
  }
  if (command.kind == CommandKind::kWsRefuse && websocket_) {
    websocket_.reset();
    keep_alive_ = false;
    send_response(std::move(command.data->response));
    return;
  }
  if (command.serial != serial_) return;  // an answer to an exchange that ended without it
  const bool handling = state_ == State::kHandling;
  switch (command.kind) {
    case CommandKind::kAuthorized:
      if (state_ != State::kAuthorizing) return;
      if (!command.data->verdict.allowed) {
        refuse({command.data->verdict.status, command.data->verdict.message, false});
      } else {
        request_->principal = std::move(command.data->verdict.principal);
        authorized();
      }
      break;
    case CommandKind::kReadiness:
      if (state_ != State::kAsking) return;
      find_mount(command.number != 0 ? Readiness::kReady : Readiness::kStarting);
      break;
    case CommandKind::kRespond:
      if (handling) send_response(std::move(command.data->response));
      break;
    case CommandKind::kStart:
      if (handling) start_stream(std::move(command.data->response.head), command.number);
      break;
    case CommandKind::kWrite:
      if (state_ == State::kStreaming) write_stream(std::move(command.data->bytes));
      return;
    case CommandKind::kFinish:
      if (state_ == State::kStreaming) finish_stream();
      break;
    case CommandKind::kAbandon:
      if (handling || state_ == State::kStreaming) abandon();
      break;
    case CommandKind::kOverflow:
      if (state_ == State::kStreaming) overflow();
      return;
    default: return;
  }
  advance();
  channel_.pump();
}

}  // namespace gantry::transport
