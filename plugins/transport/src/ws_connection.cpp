// SPDX-License-Identifier: Apache-2.0
#include "ws_connection.hpp"

#include <algorithm>
#include <utility>

#include "loop.hpp"
#include "server_core.hpp"

namespace gantry::transport {
namespace {

/// What a client sent before it ended its side is read for so long as the handler makes room.
constexpr int64_t kDepartureMs = 50;

}  // namespace

WsConnection::WsConnection(Channel& channel, std::shared_ptr<WsState> state)
    : channel_(channel), state_(std::move(state)) {
  channel_.forget_peer();
  const std::lock_guard lock(state_->mutex);
  sink_ = std::move(state_->sink);
  state_->handshake.reset();  // an idle socket does not keep it
}

WsConnection::~WsConnection() {
  tell_closed(kWsAbnormal, "the connection broke", true);
  channel_.loop().core().counters.websockets_open.fetch_sub(1, std::memory_order_relaxed);
}

const Limits& WsConnection::limits() const { return channel_.listener().options.limits; }

void WsConnection::begin(std::string_view early) {
  Counters& counters = channel_.loop().core().counters;
  counters.websockets_open.fetch_add(1, std::memory_order_relaxed);
  counters.websockets_accepted.fetch_add(1, std::memory_order_relaxed);
  heard_ms_ = progress_ms_ = channel_.now_ms();
  schedule_check();
  // The handler may have closed it before we came to be.
  if (state_->phase == WsState::Phase::kClosed) {
    closing_ = true;
    channel_.set_deadline(channel_.now_ms() + limits().ws_close_timeout_ms);
  } else if (channel_.loop().core().shutting_down) {
    on_shutdown();  // the word of it came while the handshake was still open
  }
  if (!early.empty()) on_bytes(early);
}

/// Not while bytes are set aside: they come first, and every read would add to them.
bool WsConnection::wants_input() const { return closing_ || (!state_->paused && !rest_); }

void WsConnection::on_bytes(std::string_view bytes) {
  heard_ms_ = channel_.now_ms();
  if (rest_) {
    // What was read before still comes first.
    const auto whole = std::exchange(rest_, nullptr);
    return on_bytes(whole->append(bytes));
  }
  if (!reader_) {
    reader_ = std::make_unique<WsReader>(channel_.loop().ws_pools(), state_->message_limit,
                                         state_->deflate);
    if (window_) reader_->set_window(std::move(*std::exchange(window_, nullptr)));
  }
  if (const WsFailure failure = reader_->feed(bytes, *this)) {
    fail(failure);
    return;
  }
  if (!bytes.empty()) rest_ = std::make_unique<std::string>(bytes);
  if (reader_->idle()) {
    if (std::string window = reader_->take_window(); !window.empty()) {
      window_ = std::make_unique<std::string>(std::move(window));
    }
    reader_.reset();
  }
}

bool WsConnection::on_message(WsMessage message) {
  if (closing_ || !sink_) return true;
  channel_.loop().core().counters.messages_received.fetch_add(1, std::memory_order_relaxed);
  ++state_->outstanding;
  state_->outstanding_bytes += message.data.size();
  if (state_->out_of_credit(1)) {
    state_->paused = true;
    // consumed() may have run in between and not seen the flag; then there is room again.
    if (!state_->out_of_credit(2)) state_->paused = false;
  }
  sink_->on_message(std::move(message));
  return !state_->paused;
}

/// There is credit again: first what was read before, then what the socket holds.
void WsConnection::resume() {
  while (rest_ && (closing_ || !state_->paused) && !channel_.ending()) {
    const auto held = std::exchange(rest_, nullptr);
    on_bytes(*held);
  }
  channel_.pump();
}

void WsConnection::on_ping(std::string_view payload) {
  if (closing_) return;
  std::string frame = encode_frame_header(WsOpcode::kPong, payload.size());
  frame += payload;
  // A peer that pings and never reads is a slow consumer like any other.
  channel_.writer()->send(Bytes(std::move(frame)), {}, true);
}

void WsConnection::on_pong(std::string_view) { pinged_ms_ = 0; }

void WsConnection::on_close(uint16_t code, std::string_view reason) {
  const int64_t patience_ms = state_->close_answer_ms;
  if (!closing_ && sink_ && patience_ms > 0 && !channel_.loop().core().shutting_down) {
    ++state_->outstanding;  // the word of it is a message like others to the sink
    if (sink_->on_closing()) {
      answering_ = true;
      peer_code_ = code;
      channel_.set_deadline(channel_.now_ms() + patience_ms);
      return;
    }
    --state_->outstanding;
  }
  end_by_peer(code, reason);
}

void WsConnection::end_by_peer(uint16_t code, std::string_view reason) {
  if (!closing_) {
    // The sink hears of it first: what the client does elsewhere after our answer comes after it.
    const bool ours = state_->enter_closed();
    tell_closed(code, reason, true);
    if (ours) state_->send_close(code, {}, true);
  }
  channel_.close_gracefully();
}

void WsConnection::fail(const WsFailure& failure) {
  channel_.loop().core().counters.protocol_errors.fetch_add(1, std::memory_order_relaxed);
  state_->begin_close(failure.code, failure.reason, true);
  tell_closed(failure.code, failure.reason, false);
  channel_.close_gracefully();
}

void WsConnection::tell_closed(uint16_t code, std::string_view reason, bool by_peer) {
  state_->phase = WsState::Phase::kClosed;
  if (auto sink = std::exchange(sink_, nullptr)) sink->on_closed(code, reason, by_peer);
}

void WsConnection::on_peer_end() {
  // No close frame came: 1006 for the sink, and nobody is left to talk to.
  tell_closed(kWsAbnormal, "the peer ended the connection without a close frame", true);
  channel_.destroy();
}

/// What it sent before is read as far as the handler has room for it soon, all in all. Else the
/// client has gone before the handler came to it, who hears of that now and not after all of it.
void WsConnection::on_half_closed() {
  if (!std::exchange(leaving_, true)) channel_.set_deadline(channel_.now_ms() + kDepartureMs);
}

void WsConnection::on_broken() { tell_closed(kWsAbnormal, "the connection broke", true); }

void WsConnection::schedule_check() {
  const int64_t interval = limits().ws_ping_interval_ms;
  const int64_t next = interval > 0 ? interval : limits().send_timeout_ms;
  channel_.set_deadline(channel_.now_ms() + next);
}

/// Whether data has been waiting for `send_timeout_ms` without a byte of it getting away, or
/// nothing gets away any more and the plugin, which sends nothing, has not noticed.
bool WsConnection::stalled(int64_t now_ms) {
  if (channel_.writer()->crowded_out()) return true;
  if (channel_.made_progress() || channel_.writer()->queued_bytes() == 0) {
    progress_ms_ = now_ms;
    return false;
  }
  return now_ms - progress_ms_ >= limits().send_timeout_ms;
}

void WsConnection::on_deadline(int64_t now_ms) {
  if (answering_ && !closing_) return end_by_peer(peer_code_, "nothing more was sent in time");
  if (closing_) {
    channel_.destroy();  // the peer owed us a close frame
    return;
  }
  if (std::exchange(leaving_, false) && !wants_input()) return on_peer_end();
  // What it says is not read just now, the answer to a ping neither: that is not its silence.
  if (!wants_input()) heard_ms_ = now_ms;
  const bool silent = pinged_ms_ != 0 && now_ms - pinged_ms_ >= limits().ws_pong_timeout_ms;
  if (stalled(now_ms) || (silent && heard_ms_ <= pinged_ms_)) {
    const std::string_view reason = silent ? "no pong came" : "slow consumer: nothing was read";
    state_->begin_close(silent ? kWsGoingAway : kWsPolicy, reason, false);
    tell_closed(kWsAbnormal, reason, false);
    channel_.close_gracefully();
    return;
  }
  const int64_t interval = limits().ws_ping_interval_ms;
  if (interval > 0 && now_ms - heard_ms_ >= interval && pinged_ms_ == 0) {
    channel_.writer()->send(Bytes(encode_frame_header(WsOpcode::kPing, 0)), {}, true);
    pinged_ms_ = now_ms;
    channel_.set_deadline(now_ms + std::min(limits().ws_pong_timeout_ms, interval));
    return;
  }
  if (heard_ms_ > pinged_ms_) pinged_ms_ = 0;
  schedule_check();
}

void WsConnection::on_drained() {
  if (sink_) sink_->on_writable();
}

void WsConnection::on_command(Command& command) {
  switch (command.kind) {
    case CommandKind::kConsumed: resume(); return;
    case CommandKind::kWsClosing:
      closing_ = true;
      tell_closed(command.code, command.data->text, false);
      if (answering_) return channel_.close_gracefully();
      channel_.set_deadline(channel_.now_ms() + limits().ws_close_timeout_ms);
      resume();
      return;
    case CommandKind::kOverflow:
      tell_closed(command.code, command.data->text, false);
      channel_.close_gracefully();
      return;
    default: return;
  }
}

void WsConnection::on_shutdown() {
  if (!state_->begin_close(kWsGoingAway, "the server is shutting down", true)) return;
  closing_ = true;
  tell_closed(kWsGoingAway, "the server is shutting down", false);
  channel_.set_deadline(channel_.now_ms() + limits().ws_close_timeout_ms);
}

}  // namespace gantry::transport
