// SPDX-License-Identifier: Apache-2.0
#include "ws_bridge.hpp"

#include <gantry/contracts/http.hpp>

#include <algorithm>
#include <memory>
#include <mutex>
#include <utility>

#include "bus_convert.hpp"
#include "held_grants.hpp"

namespace gantry::transport {
namespace {

using BusMessage = gantry::WsMessage;
using BusOpcode = gantry::WsOpcode;

/// Messages that a plugin may have on the way to us: all of an agent's turn whose model is quick,
/// so that it leaves in one write.
constexpr uint32_t kPluginCredit = 32;
/// Messages whose credit goes back together, at the latest.
constexpr uint32_t kGrantsAtOnce = kPluginCredit / 2;

struct ErrorClose {
  Code code;
  uint16_t close_code;
};

/// Close codes for streams that end with an error which names none.
constexpr ErrorClose kErrorCloses[] = {
    {Code::Unavailable, kWsGoingAway},  {Code::Cancelled, kWsGoingAway},
    {Code::InvalidArgument, kWsPolicy}, {Code::PermissionDenied, kWsPolicy},
    {Code::Unauthenticated, kWsPolicy}, {Code::ResourceExhausted, kWsTryAgainLater},
};

uint16_t close_code_of(Code code) {
  for (const auto& row : kErrorCloses) {
    if (row.code == code) return row.close_code;
  }
  return kWsInternalError;
}

/// One connection. The stream's handlers run on our strand, the sink's calls on the loop; what both
/// touch is behind the mutex, which is never held while the host or the socket is called.
class Connection final : public WsSink,
                         public StreamReceiver<BusMessage>,
                         public std::enable_shared_from_this<Connection> {
 public:
  Connection(Host& host, WsSocketPtr socket, std::string subprotocol, size_t queue_limit)
      : host_(host),
        key_(socket->request()->connection),
        socket_(std::move(socket)),
        subprotocol_(subprotocol.empty() ? nullptr
                                         : std::make_unique<std::string>(std::move(subprotocol))),
        queue_limit_(queue_limit) {}

  void open(const BridgeOptions& options) {
    const RequestPtr request = socket_->request();
    StreamOptions stream;
    stream.target = options.target;
    stream.key = key_;
    stream.receive_credit = kPluginCredit;
    stream.manual_credit = true;
    StreamHandlers<BusMessage> handlers;
    handlers.receiver = shared_from_this();
    WsOpening opening{to_bus(request, options.route), subprotocol_ ? *subprotocol_ : std::string()};
    auto opened =
        host_.bus().open_stream<WsConnect>(std::move(opening), std::move(handlers), stream);
    if (!opened.ok()) {
      on_end(opened.error());
      return;
    }
    bool ended = false;
    {
      const std::lock_guard lock(mutex_);
      ended = !socket_;  // while it was being opened
      if (!ended) stream_ = *opened;
    }
    if (ended) return opened->close(Error{Code::Cancelled, "the client has gone", {}});
    grant_held();
  }

  void on_message(WsMessage message) override {
    const size_t size = message.data.size();
    hand_over(make_body<BusMessage>({message.text ? BusOpcode::Text : BusOpcode::Binary,
                                     Buffer::of(std::move(message.data))}),
              size);
  }

  void hand_over(Ref<BusMessage> body, size_t size) {
    Pending next{std::move(body), size};
    Stream<BusMessage> stream;
    {
      const std::lock_guard lock(mutex_);
      if (!pending_.empty() || flushing_ || !stream_) {
        pending_.push_back(std::move(next));
        return;
      }
      flushing_ = true;
      room_ = false;
      stream = stream_;
    }
    flush(std::move(stream), std::move(next));
  }

  void on_writable() override { grant_held(); }

  bool on_closing() override {
    hand_over(make_body<BusMessage>({BusOpcode::Close, {}}), 0);
    return true;
  }

  void on_closed(uint16_t code, std::string_view reason, bool by_peer) override {
    Error end{Code::Cancelled,
              std::string(by_peer ? "the client closed the WebSocket" : "the WebSocket was closed"),
              write_close_detail(code, reason)};
    WsSocketPtr socket;
    Stream<BusMessage> stream;
    {
      const std::lock_guard lock(mutex_);
      socket.swap(socket_);
      if (flushing_) {
        // After what the plugin has room for.
        last_word_ = std::make_unique<Error>(std::move(end));
        return;
      }
      // The plugin has had no room for it, so has not begun with it, and nobody waits for it now.
      pending_.clear();
      stream = std::exchange(stream_, {});
    }
    stream.close(end);
  }

  void on_chunk(const Ref<BusMessage>& message) override {
    WsSocketPtr socket;
    bool grant = message->opcode == BusOpcode::Accept;  // nothing is released after that
    {
      const std::lock_guard lock(mutex_);
      if (!socket_) return;
      socket = socket_;
      grant = ++held_grants_ >= kGrantsAtOnce || grant;
    }
    if (!std::exchange(accepted_, true)) {
      WsAccept accept;
      if (const auto subprotocol = std::move(subprotocol_)) accept.subprotocol = *subprotocol;
      accept.sink = shared_from_this();
      accept.bound = SendBound::kSender;
      // Nobody else tells the plugin: the socket had no sink yet when its client went.
      if (!socket->accept(std::move(accept))) {
        return on_closed(kWsAbnormal, "the client went during the handshake", true);
      }
    }
    if (message->opcode != BusOpcode::Accept) {
      socket->hold(message->opcode == BusOpcode::Text, to_bytes(message->data));
      release_later();
    }
    if (grant) grant_unless_full(*socket);
  }

  /// The plugin has room again.
  void on_room() override {
    {
      const std::lock_guard lock(mutex_);
      // Whoever is at it tries once more: its message may have been refused before there was room.
      room_ = true;
      if (std::exchange(flushing_, true)) return;
    }
    flush({}, {});
  }

  void on_end(const Error& end) override {
    WsSocketPtr socket;
    Stream<BusMessage> ended;
    {
      const std::lock_guard lock(mutex_);
      socket.swap(socket_);
      ended = std::exchange(stream_, {});
      pending_.clear();
      last_word_.reset();
    }
    if (!socket) return;
    if (!accepted_) {
      socket->refuse(end.code == Code::Ok ? error_response(503, "the plugin took no WebSocket")
                                          : response_of(end));
    } else if (end.code == Code::Ok) {
      socket->close(kWsNormal, {});
    } else if (const auto detail = read_close_detail(end.detail)) {
      socket->close(detail->close_code, detail->reason);
    } else {
      socket->close(close_code_of(end.code), end.message);
    }
  }

 private:
  struct Pending {
    Ref<BusMessage> body;
    size_t size;
  };

  /// Sends `next` when it has a body, then what waits, in order, and then perhaps the end. One at a
  /// time: who calls it has set flushing_.
  void flush(Stream<BusMessage> stream, Pending next) {
    std::unique_ptr<Error> end;
    while (next.body || take_next(stream, next, end)) {
      if (deliver(stream, next)) {
        next = {};
      } else if (put_back(stream, next, end)) {
        break;
      }
    }
    if (end) stream.close(*end);
  }

  /// What is sent next. False: nothing is; flushing is over, and `end` the last word when it is
  /// due.
  bool take_next(Stream<BusMessage>& stream, Pending& next, std::unique_ptr<Error>& end) {
    const std::lock_guard lock(mutex_);
    if (pending_.empty() || !stream_) {
      flushing_ = false;
      end.swap(last_word_);
      if (end) stream = std::exchange(stream_, {});
      return false;
    }
    stream = stream_;
    room_ = false;
    next = std::move(pending_.front());
    pending_.erase(pending_.begin());
    return true;
  }

  /// There was no room for it. False: there is some by now, which on_room() has told nobody else.
  /// When the client has gone meanwhile, all that waits is dropped, and `end` the last word.
  bool put_back(Stream<BusMessage>& stream, Pending& next, std::unique_ptr<Error>& end) {
    const std::lock_guard lock(mutex_);
    if (std::exchange(room_, false)) return false;
    flushing_ = false;
    end.swap(last_word_);
    if (end) {
      pending_.clear();
      stream = std::exchange(stream_, {});
    } else {
      pending_.insert(pending_.begin(), std::move(next));
    }
    return true;
  }

  /// True when the plugin has it, or never will.
  bool deliver(Stream<BusMessage>& stream, const Pending& next) {
    const auto sent = stream.send(next.body);
    if (!sent.ok() && sent.error().code == Code::ResourceExhausted) return false;
    WsSocketPtr socket;
    {
      const std::lock_guard lock(mutex_);
      socket = socket_;
    }
    if (socket) socket->consumed(1, next.size);
    return true;
  }

  /// Behind the messages that are on this strand already: they leave in the same write.
  void release_later() {
    if (std::exchange(release_posted_, true)) return;
    host_.post(
        [self = shared_from_this()] {
          self->release_posted_ = false;
          self->release();
        },
        key_);
  }

  void release() {
    WsSocketPtr socket;
    {
      const std::lock_guard lock(mutex_);
      socket = socket_;
    }
    if (!socket) return;
    socket->release();
    grant_unless_full(*socket);
  }

  /// With half of the queue taken the plugin waits until the peer has read.
  void grant_unless_full(const WsSocket& socket) {
    if (socket.queued_bytes() < queue_limit_ / 2) grant_held();
  }

  void grant_held() { transport::grant_held(mutex_, stream_, held_grants_); }

  Host& host_;
  const std::uint64_t key_;  ///< of the strand
  std::mutex mutex_;
  WsSocketPtr socket_;  ///< until either side ends
  Stream<BusMessage> stream_;
  /// What the plugin had no credit for; bounded by receive credit, dropped when the client goes.
  std::vector<Pending> pending_;
  std::unique_ptr<Error> last_word_;  ///< rarely
  uint32_t held_grants_ = 0;
  bool flushing_ = false;        ///< somebody sends, and looks into pending_ before it stops
  bool room_ = false;            ///< on_room() came meanwhile
  bool accepted_ = false;        ///< strand only
  bool release_posted_ = false;  ///< strand only
  std::unique_ptr<std::string> subprotocol_;  ///< until it is accepted; null: none
  const size_t queue_limit_;
};

class WsBridge final : public MountHandler {
 public:
  WsBridge(Host& host, BridgeOptions options, std::vector<std::string> subprotocols)
      : host_(host), options_(std::move(options)), subprotocols_(std::move(subprotocols)) {}

  void on_websocket(WsSocketPtr socket) override {
    const auto offered = socket->offered_subprotocols();
    const auto chosen =
        std::find_if(subprotocols_.begin(), subprotocols_.end(), [&](const std::string& ours) {
          return std::find(offered.begin(), offered.end(), ours) != offered.end();
        });
    std::string subprotocol = chosen == subprotocols_.end() ? std::string() : *chosen;
    std::make_shared<Connection>(host_, std::move(socket), std::move(subprotocol),
                                 options_.queue_limit)
        ->open(options_);
  }

 private:
  Host& host_;
  BridgeOptions options_;
  std::vector<std::string> subprotocols_;
};

}  // namespace

std::shared_ptr<MountHandler> make_ws_bridge(Host& host, BridgeOptions options,
                                             std::vector<std::string> subprotocols) {
  return std::make_shared<WsBridge>(host, std::move(options), std::move(subprotocols));
}

}  // namespace gantry::transport
