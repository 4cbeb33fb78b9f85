// SPDX-License-Identifier: Apache-2.0
#include "http_connection.hpp"

#include <algorithm>
#include <utility>

#include "head_parser.hpp"
#include "loop.hpp"
#include "policy.hpp"
#include "server_core.hpp"
#include "ws_connection.hpp"

namespace gantry::transport {
namespace {

constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

}  // namespace

HttpConnection::HttpConnection(Channel& channel) : channel_(channel) {
  const int64_t first =
      channel_.writer()->tls() ? limits().tls_handshake_timeout_ms : limits().head_timeout_ms;
  channel_.set_deadline(channel_.now_ms() + first);
}

HttpConnection::~HttpConnection() { lose_exchange(); }

const Limits& HttpConnection::limits() const { return channel_.listener().options.limits; }

uint64_t HttpConnection::body_limit() const {
  return mount_ && mount_->body_bytes > 0 ? mount_->body_bytes : limits().body_bytes;
}

void HttpConnection::consume(size_t bytes) {
  position_ += bytes;
  scanned_ = 0;
  if (position_ == in_.size()) {
    std::string().swap(in_);
    position_ = 0;
  }
}

bool HttpConnection::wants_input() const {
  switch (state_) {
    case State::kIdle:
    case State::kHead:
    case State::kBody:
    case State::kDraining: return true;
    default: return false;  // one request at a time; what is pipelined stays in the socket
  }
}

void HttpConnection::on_bytes(std::string_view bytes) {
  in_ += bytes;
  advance();
}

void HttpConnection::advance() {
  bool more = true;
  while (more && !channel_.ending()) {
    switch (state_) {
      case State::kIdle:
      case State::kHead: more = read_head(); break;
      case State::kBody:
      case State::kDraining: more = read_body(); break;
      default: more = false;
    }
  }
  if (position_ > 0 && !channel_.ending()) {
    in_.erase(0, position_);
    position_ = 0;
  }
}

bool HttpConnection::read_head() {
  if (unread().empty()) return false;
  if (state_ == State::kIdle) {
    state_ = State::kHead;
    channel_.set_deadline(channel_.now_ms() + limits().head_timeout_ms);
  }
  const HeadScan scan = scan_head(unread(), scanned_, limits());
  if (scan.state == HeadScan::State::kIncomplete) {
    scanned_ = unread().size();
    return false;
  }
  if (scan.state == HeadScan::State::kRefused) {
    refuse(scan.refusal);
    return false;
  }
  auto parsed = parse_head(unread().substr(scan.skip, scan.end - scan.skip), limits());
  consume(scan.end);
  if (const auto* refusal = std::get_if<Refusal>(&parsed)) {
    refuse(*refusal);
    return false;
  }
  on_head(std::move(std::get<RequestHead>(parsed)));
  return true;
}

void HttpConnection::on_head(RequestHead head) {
  request_ = std::make_shared<Request>();
  request_->head = std::move(head);
  request_->peer = channel_.peer();
  request_->connection = channel_.id();
  const RequestHead& kept = request_->head;
  keep_alive_ = kept.keep_alive && !channel_.loop().core().shutting_down;
  body_done_ = kept.body == BodyKind::kNone;
  body_left_ = kept.content_length;
  body_seen_ = 0;
  sent_continue_ = false;
  chunks_.reset();
  channel_.set_deadline(0);
  const AccessPolicy& access = channel_.listener().options.access;
  if (auto refusal = check_host(kept, *channel_.peer(), access)) {
    refuse(*refusal);
  } else if (auto foreign = check_origin(kept, *channel_.peer(), access)) {
    refuse(*foreign);
  } else {
    find_mount();
  }
}

void HttpConnection::begin_body() {
  body_begun_ms_ = channel_.now_ms();
  if (!body_done_) {
    channel_.set_deadline(body_begun_ms_ + limits().body_timeout_ms);
    if (request_->head.expect_continue && unread().empty()) {
      channel_.writer()->send(Bytes::literal(kContinue), {}, false);
      sent_continue_ = true;
    }
  }
  state_ = State::kBody;
  if (body_done_) dispatch();
}

/// The next piece of the body out of the buffer. A refusal ends the connection.
std::optional<Refusal> HttpConnection::take_body(std::string& piece) {
  const std::string_view input = unread();
  if (!chunks_) {
    const auto take = static_cast<size_t>(std::min<uint64_t>(body_left_, input.size()));
    piece.assign(input.substr(0, take));
    body_left_ -= take;
    body_done_ = body_left_ == 0;
    consume(take);
    return std::nullopt;
  }
  size_t consumed = 0;
  const auto end = chunks_->feed(input, piece, consumed);
  consume(consumed);
  if (end == ChunkDecoder::State::kMalformed) {
    return Refusal{400, "the chunked body is malformed", true};
  }
  if (end == ChunkDecoder::State::kTooLarge) {
    return Refusal{413, "the body may have " + std::to_string(body_limit()) + " bytes at most",
                   true};
  }
  body_done_ = end == ChunkDecoder::State::kDone;
  return std::nullopt;
}

/// True when the state has changed and there may be more to do with what is in the buffer.
bool HttpConnection::read_body() {
  if (unread().empty()) return false;
  std::string piece;
  if (auto refusal = take_body(piece)) {
    keep_alive_ = false;
    if (state_ == State::kBody) {
      refuse(*refusal);
    } else {
      channel_.close_gracefully();
    }
    return false;
  }
  body_seen_ += piece.size();
  const auto earned = static_cast<int64_t>(body_seen_ / limits().body_min_rate) * 1000;
  channel_.set_deadline(body_done_ ? 0 : body_begun_ms_ + limits().body_timeout_ms + earned);
  if (state_ == State::kDraining) {
    if (body_seen_ > limits().drain_bytes && !body_done_) {
      channel_.close_gracefully();
      return false;
    }
  } else if (!body_done_ && !arriving_.grow(channel_.loop().core().arriving,
                                            request_->body.size() + piece.size())) {
    keep_alive_ = false;
    request_->body = {};
    refuse({503, "too many bodies are arriving at once, try again later", true});
    return false;
  } else if (request_->body.empty()) {
    request_->body = std::move(piece);
  } else {
    request_->body += piece;
  }
  if (!body_done_) return true;
  if (state_ == State::kDraining) {
    next_request();
  } else {
    dispatch();
  }
  return true;
}

void HttpConnection::dispatch() {
  state_ = State::kHandling;
  arriving_.release();
  channel_.set_deadline(0);
  exchange_ = std::make_shared<ExchangeState>();
  exchange_->request = request_;
  ExchangeOptions options;
  options.mailbox = channel_.loop().mailbox();
  options.channel = channel_.id();
  options.serial = serial_;
  options.queue_limit = limits().send_queue_bytes;
  options.gzip_min_bytes = channel_.listener().options.gzip_min_bytes;
  const MountPtr mount = mount_;
  mount->handler->on_request(make_exchange(exchange_, std::move(options)));
  asked_whether_there_ = false;
  if (channel_.half_closed()) expect_departure();
}

/// The client sends no more. Either it only shut down its side and waits for the answer, or it has
/// closed the connection; both look alike until something is sent to it.
void HttpConnection::expect_departure() {
  if (!asked_whether_there_) channel_.set_deadline(channel_.now_ms() + kDepartureMs);
}

/// An interim answer, which a client that did not ask for it discards (RFC 9110 15.2.1). Where
/// nobody is left to read it the system answers with a reset, and on_broken() tells the handler.
void HttpConnection::ask_whether_there() {
  if (std::exchange(asked_whether_there_, true)) return;
  if (request_->head.minor_version == 0) return;  // knows no interim answers
  channel_.writer()->send(Bytes::literal(kContinue), {}, false);
}

/// After an answer: the rest of a body is in the way of the next request.
void HttpConnection::begin_drain_or_finish() {
  if (exchange_) {
    exchange_->gone = true;
    exchange_->sink.reset();  // it has nothing to hear any more, and it may hold the exchange
  }
  exchange_.reset();
  const bool small = body_left_ <= limits().drain_bytes;
  // A client that waits for "100 Continue" may send the body or not; nobody can tell where the next
  // request begins (RFC 9110 10.1.1).
  const bool undecided =
      !body_done_ && request_ && request_->head.expect_continue && !sent_continue_;
  if (!keep_alive_ || undecided || (!body_done_ && !small)) {
    channel_.close_gracefully();
    return;
  }
  if (!body_done_) {
    if (request_->head.body == BodyKind::kChunked && !chunks_)
      chunks_.emplace(limits().drain_bytes);
    body_seen_ = 0;
    body_begun_ms_ = channel_.now_ms();
    state_ = State::kDraining;
    channel_.set_deadline(body_begun_ms_ + limits().body_timeout_ms);
    return;
  }
  next_request();
}

void HttpConnection::next_request() {
  request_.reset();
  mount_.reset();
  ++serial_;
  if (channel_.writer()->queued_bytes() > 0) {
    state_ = State::kFlushing;
    channel_.set_deadline(channel_.now_ms() + limits().send_timeout_ms);
    return;
  }
  state_ = State::kIdle;
  channel_.set_deadline(channel_.now_ms() + limits().idle_timeout_ms);
}

void HttpConnection::on_peer_end() {
  // A request whose answer is under way is still served: the peer may have shut down its side only.
  if (state_ == State::kHandling) {
    keep_alive_ = false;
    expect_departure();
    return;
  }
  if (state_ == State::kFlushing) {
    channel_.close_gracefully();
    return;
  }
  lose_exchange();
  channel_.destroy();
}

void HttpConnection::on_half_closed() {
  if (state_ == State::kHandling) expect_departure();
  if (state_ != State::kStreaming || std::exchange(leaving_, true)) return;
  // What is complete soon is still an answer; nobody reads an event stream whose client has gone.
  if (channel_.writer()->queued_bytes() == 0) {
    channel_.set_deadline(channel_.now_ms() + kDepartureMs);
  }
}

void HttpConnection::on_broken() { lose_exchange(); }

void HttpConnection::on_deadline(int64_t) {
  switch (state_) {
    case State::kHead:
      refuse({408, "the head took longer than " + std::to_string(limits().head_timeout_ms) + " ms",
              true});
      return;
    case State::kBody: refuse({408, "the body came too slowly", true}); return;
    case State::kHandling: ask_whether_there(); return;
    case State::kStreaming:
    case State::kFlushing:
      if (leaving_ && channel_.writer()->queued_bytes() == 0) break;
      if (channel_.made_progress()) {
        channel_.set_deadline(channel_.now_ms() + limits().send_timeout_ms);
        return;
      }
      break;
    default: break;
  }
  lose_exchange();
  channel_.destroy();
}

void HttpConnection::on_shutdown() {
  keep_alive_ = false;
  if (state_ == State::kIdle || state_ == State::kFlushing) {
    channel_.close_gracefully();
  } else if (state_ == State::kStreaming) {
    lose_exchange();
    channel_.close_gracefully();
  }
}

}  // namespace gantry::transport
