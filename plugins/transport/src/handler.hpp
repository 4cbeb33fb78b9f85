// SPDX-License-Identifier: Apache-2.0
#pragma once

// What stands between the server and those who serve: a mount's handler and the handles that it
// answers through. The server calls handlers and sinks on a loop thread, where nothing may block:
// they hand the work off. Exchange and WsSocket may be used on any thread, also after the
// connection has gone (then everything is dropped).

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "bytes.hpp"
#include "http_types.hpp"
#include "ws_frame.hpp"
#include "ws_reader.hpp"

namespace gantry::transport {

/// What bounds the bytes that wait for a peer.
enum class SendBound : uint8_t {
  kQueueLimit,  ///< the listener's send queue: over it the peer is closed as a slow consumer
  kSender,      ///< the sender, which sends only against credit; a peer that takes nothing for the
                ///< send timeout is closed all the same
};

/// What became of something to send.
enum class SendResult : uint8_t {
  kSent,     ///< the operating system has all of it
  kQueued,   ///< waits for the peer to read; see queued_bytes()
  kDropped,  ///< the connection has ended, or was just ended because the peer reads too slowly
};

/// Told about one exchange after it began. All on the loop thread.
class ExchangeSink {
 public:
  virtual ~ExchangeSink() = default;
  /// The send queue has run empty after a write was answered kQueued.
  virtual void on_writable() {}
  /// The connection has gone before the answer was complete; nothing follows.
  virtual void on_gone() {}
};

/// The right and duty to answer one request. If the last reference goes without an answer, the
/// client gets 500, never silence.
class Exchange {
 public:
  virtual ~Exchange() = default;

  virtual const RequestPtr& request() const = 0;
  /// Hears about the answer's way out. Set it before returning from on_request().
  virtual void set_sink(std::shared_ptr<ExchangeSink> sink) = 0;
  /// What bounds write(). Call it before start().
  virtual void set_bound(SendBound bound) = 0;
  /// Answers in one piece. False: an answer was given before.
  virtual bool respond(Response response) = 0;
  /// Begins an answer of unknown length (chunked, or until close for HTTP/1.0). With
  /// `content_length` ≥ 0 exactly so many bytes have to follow.
  virtual bool start(ResponseHead head, int64_t content_length = -1) = 0;
  virtual SendResult write(Bytes chunk) = 0;
  /// Completes the stream. Without it, dropping the exchange cuts the connection, so that the
  /// client sees that the answer is incomplete.
  virtual void finish() = 0;
  virtual size_t queued_bytes() const = 0;
};
using ExchangePtr = std::shared_ptr<Exchange>;

/// Told about one accepted WebSocket, on the loop thread.
class WsSink {
 public:
  virtual ~WsSink() = default;
  /// A whole message. It counts against the socket's receive credit until consumed() is called;
  /// with no credit left the server stops reading from the peer.
  virtual void on_message(WsMessage message) = 0;
  /// The send queue has run empty after a send was answered kQueued.
  virtual void on_writable() {}
  /// The peer has closed, and still reads what it is sent until close() or the mount's
  /// `close_answer_ms` are over. False: there is nothing more to send.
  virtual bool on_closing() { return false; }
  /// The last call. `code` is kWsAbnormal when the connection broke; `by_peer` when they ended it.
  virtual void on_closed(uint16_t code, std::string_view reason, bool by_peer) = 0;
};

struct WsAccept {
  std::string subprotocol;  ///< one of those offered, or empty
  OwnedHeaders headers;
  std::shared_ptr<WsSink> sink;
  SendBound bound = SendBound::kQueueLimit;
};

/// One WebSocket, first as an open handshake and then as a connection. If the last reference goes,
/// an unanswered handshake gets 503 and a connection is closed with 1001.
class WsSocket {
 public:
  virtual ~WsSocket() = default;

  /// The handshake's request, until accept() or refuse(); an open socket does not keep it.
  virtual RequestPtr request() const = 0;
  /// Subprotocols that the client offered, in its order.
  virtual std::vector<std::string> offered_subprotocols() const = 0;
  /// Opens the connection; send() may follow at once. False: it was answered before or the client
  /// has gone, and the sink will not be called.
  virtual bool accept(WsAccept accept) = 0;
  virtual bool refuse(Response response) = 0;
  /// One message, written by the calling thread when nothing is queued before it.
  virtual SendResult send(bool text, Bytes message) = 0;
  /// One message that waits for release(), or for the next that is sent: several in one write.
  virtual SendResult hold(bool text, Bytes message) = 0;
  virtual void release() = 0;
  virtual void close(uint16_t code, std::string_view reason) = 0;
  /// Messages that were handed over have been dealt with.
  virtual void consumed(uint32_t messages, size_t bytes) = 0;
  virtual size_t queued_bytes() const = 0;
};
using WsSocketPtr = std::shared_ptr<WsSocket>;

class MountHandler {
 public:
  virtual ~MountHandler() = default;
  /// kRequest mounts. The body is complete.
  virtual void on_request(ExchangePtr exchange);
  /// kWebSocket mounts: answer with accept() or refuse(), now or later.
  virtual void on_websocket(WsSocketPtr socket);
};

/// Who a request is from. The hook by which an identity plugin decides instead of a fixed token.
class Authenticator {
 public:
  struct Verdict {
    bool allowed = false;
    std::string principal;  ///< who it is, when allowed
    std::string message;    ///< for the client, when not
    int status = 401;
  };
  using Done = std::function<void(Verdict)>;

  virtual ~Authenticator() = default;
  /// Calls `done` once, on any thread, now or later. `request` has no body yet.
  virtual void check(const RequestPtr& request, Done done) = 0;
};

/// "Authorization: Bearer <token>", compared in constant time.
std::shared_ptr<Authenticator> make_bearer_authenticator(std::string token, std::string principal);

}  // namespace gantry::transport
