// SPDX-License-Identifier: Apache-2.0
#include "ws_socket.hpp"

#include <algorithm>

#include "response_head.hpp"

namespace gantry::transport {
namespace {

constexpr size_t kJoinFrameBytes =
    1024;  // below, header and payload are copied into one allocation

class WsSocketHandle final : public WsSocket {
 public:
  explicit WsSocketHandle(std::shared_ptr<WsState> state) : state_(std::move(state)) {}

  ~WsSocketHandle() override {
    if (!state_->answered) {
      refuse(error_response(503, "nobody took the WebSocket"));
    } else {
      close(kWsGoingAway, "the serving plugin has gone");
    }
  }

  RequestPtr request() const override {
    const std::lock_guard lock(state_->mutex);
    return state_->handshake ? state_->handshake->request : nullptr;
  }
  std::vector<std::string> offered_subprotocols() const override {
    const std::lock_guard lock(state_->mutex);
    return state_->handshake ? state_->handshake->offer.subprotocols : std::vector<std::string>();
  }

  bool accept(WsAccept accept) override {
    if (state_->answered.exchange(true)) return false;
    const std::lock_guard lock(state_->mutex);
    if (state_->gone) return false;
    const WsOffer& offer = state_->handshake->offer;
    const auto& offered = offer.subprotocols;
    if (std::find(offered.begin(), offered.end(), accept.subprotocol) == offered.end()) {
      accept.subprotocol.clear();  // what was not offered must not be chosen (RFC 6455 4.2.2)
    }
    const std::string fields = handshake_fields(offer, accept.subprotocol);
    ResponseHead head;
    head.status = 101;
    head.headers = std::move(accept.headers);
    state_->sink = std::move(accept.sink);
    state_->limited = accept.bound == SendBound::kQueueLimit;
    // Written here and not on the loop, so that send() may follow at once. Nobody else writes while
    // the handshake is open.
    const HeadFraming framing{.framing = Framing::kNone, .extra = fields};
    state_->writer->send(Bytes(serialize_head(head, framing, {})), {}, false);
    state_->phase = WsState::Phase::kOpen;
    state_->post(CommandKind::kWsAccept);
    return true;
  }

  bool refuse(Response response) override {
    if (state_->answered.exchange(true)) return false;
    auto data = std::make_unique<CommandData>();
    data->response = std::move(response);
    state_->post(CommandKind::kWsRefuse, 0, std::move(data));
    return true;
  }

  SendResult send(bool text, Bytes message) override {
    return take(text, std::move(message), false);
  }
  SendResult hold(bool text, Bytes message) override {
    return take(text, std::move(message), true);
  }
  void release() override {
    state_->writer->release();
    if (state_->writer->overflowed()) close_slow_consumer();
  }

  void close(uint16_t code, std::string_view reason) override {
    if (state_->begin_close(code, reason, true)) {
      auto data = std::make_unique<CommandData>();
      data->text = reason;
      state_->post(CommandKind::kWsClosing, code, std::move(data));
    }
  }

  void consumed(uint32_t messages, size_t bytes) override {
    state_->outstanding -= messages;
    state_->outstanding_bytes -= bytes;
    // The connection sets `paused` and then looks at the counts again, we the other way round: one
    // of both sees the other's word.
    if (!state_->out_of_credit(2) && state_->paused.exchange(false)) {
      state_->post(CommandKind::kConsumed);
    }
  }

  size_t queued_bytes() const override { return state_->writer->queued_bytes(); }

 private:
  SendResult take(bool text, Bytes message, bool hold) {
    if (state_->phase != WsState::Phase::kOpen) return SendResult::kDropped;
    const auto opcode = text ? WsOpcode::kText : WsOpcode::kBinary;
    const bool compress = state_->deflate && message.size() >= state_->deflate_min_bytes;
    SendResult result = SendResult::kDropped;
    if (compress && state_->server_takeover()) {
      const std::lock_guard lock(state_->mutex);
      if (!state_->dictionary) state_->dictionary = std::make_unique<std::string>();
      result = send_compressed(opcode, message, state_->dictionary.get(), hold);
    } else {
      result = compress ? send_compressed(opcode, message, nullptr, hold)
                        : send_frame(encode_frame_header(opcode, message.size()), message, hold);
    }
    if (result != SendResult::kDropped) {
      state_->counters->messages_sent.fetch_add(1, std::memory_order_relaxed);
    } else if (state_->writer->overflowed()) {
      close_slow_consumer();
    }
    return result;
  }

  SendResult send_frame(std::string header, const Bytes& payload, bool hold) {
    const bool join = payload.size() <= kJoinFrameBytes;
    const Bytes head = join ? Bytes::joined(header, payload.view()) : Bytes(std::move(header));
    const Bytes body = join ? Bytes() : payload;
    Writer& writer = *state_->writer;
    return hold ? writer.hold(head, body, state_->limited)
                : writer.send(head, body, state_->limited);
  }

  SendResult send_compressed(WsOpcode opcode, const Bytes& message, std::string* dictionary,
                             bool hold) {
    Bytes packed(deflate_message(message.view(), state_->deflate_level,
                                 state_->deflate->server_window_bits, dictionary));
    return send_frame(encode_frame_header(opcode, packed.size(), true), packed, hold);
  }

  void close_slow_consumer() {
    const bool crowded_out = state_->writer->crowded_out();
    const uint16_t code = crowded_out ? kWsTryAgainLater : kWsPolicy;
    const std::string reason = crowded_out
                                   ? "slow consumer: too much is unread by all clients"
                                   : "slow consumer: more than " +
                                         std::to_string(state_->writer->limit()) + " bytes unread";
    if (!state_->begin_close(code, reason, false)) return;
    state_->counters->slow_consumers.fetch_add(1, std::memory_order_relaxed);
    auto data = std::make_unique<CommandData>();
    data->text = reason;
    state_->post(CommandKind::kOverflow, code, std::move(data));
  }

  std::shared_ptr<WsState> state_;
};

}  // namespace

void WsState::post(CommandKind kind, uint16_t code, std::unique_ptr<CommandData> data) {
  Command command;
  command.kind = kind;
  command.code = code;
  command.channel = channel;
  command.data = std::move(data);
  mailbox->post(std::move(command));
}

bool WsState::enter_closed() {
  auto expected = Phase::kOpen;
  return phase.compare_exchange_strong(expected, Phase::kClosed);
}

void WsState::send_close(uint16_t code, std::string_view reason, bool keep_queue) {
  const std::string payload = encode_close_payload(code, reason);
  writer->finish_with(Bytes(encode_frame_header(WsOpcode::kClose, payload.size()) + payload),
                      keep_queue);
}

bool WsState::begin_close(uint16_t code, std::string_view reason, bool keep_queue) {
  if (!enter_closed()) return false;
  send_close(code, reason, keep_queue);
  return true;
}

WsSocketPtr make_ws_socket(std::shared_ptr<WsState> state) {
  return std::make_shared<WsSocketHandle>(std::move(state));
}

}  // namespace gantry::transport
