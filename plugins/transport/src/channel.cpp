// SPDX-License-Identifier: Apache-2.0
#include "channel.hpp"

#include <sys/epoll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "loop.hpp"
#include "server_core.hpp"

namespace gantry::transport {
namespace {

constexpr size_t kReadBudget = 256 * 1024;      // per turn, so that one peer cannot hold the loop
constexpr uint32_t kLingerBytes = 1024 * 1024;  // discarded after our last word at most

std::unique_ptr<const std::string> unless_empty(std::string text) {
  return text.empty() ? nullptr : std::make_unique<const std::string>(std::move(text));
}

}  // namespace

Channel::Channel(Loop& loop, ChannelId id, UniqueFd socket, std::shared_ptr<const PeerInfo> peer,
                 const ListenerState& listener, std::unique_ptr<TlsSession> tls)
    : loop_(loop),
      id_(id),
      peer_(std::move(peer)),
      counted_as_(unless_empty(ServerCore::counted_as(*peer_))),
      listener_(listener),
      writer_(std::make_shared<Writer>(socket.get(), std::move(tls),
                                       listener.options.limits.send_queue_bytes,
                                       loop.core().leaving)),
      socket_(std::move(socket)) {}

Channel::~Channel() {
  loop_.wheel().cancel(*this);
  protocol_.reset();
  writer_->detach();
}

void Channel::start(std::unique_ptr<Protocol> protocol) { protocol_ = std::move(protocol); }

void Channel::become(std::unique_ptr<Protocol> protocol) {
  loop_.bury(std::exchange(protocol_, std::move(protocol)));
}

int64_t Channel::now_ms() const { return loop_.now_ms(); }

void Channel::on_events(uint32_t events) {
  if (phase_ == Phase::kDead) return;
  // Both directions are gone. What came before is still read, unless nothing is read because an
  // answer is under way: nobody can get it any more.
  const bool gone = (events & (EPOLLERR | EPOLLHUP)) != 0;
  if (gone && writer_->given_up()) {
    loop_.core().counters.slow_consumers.fetch_add(1, std::memory_order_relaxed);
    broken();
    return;
  }
  const bool paused = phase_ == Phase::kOpen && !protocol_->wants_input();
  if (gone && ((events & EPOLLIN) == 0 || paused)) {
    broken();
    return;
  }
  if ((events & EPOLLOUT) != 0) {
    flush();
    // The end of TLS came with what was answered, and no event of the socket follows.
    if (tls_ended_) pump();
  }
  if ((events & (EPOLLIN | EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0) {
    readable_ = true;
    half_closed_seen_ = half_closed_seen_ || (events & EPOLLRDHUP) != 0;
    pump();
  }
}

void Channel::pump() {
  if (phase_ == Phase::kDead) return;
  if (readable_ && (!tls_ended_ || phase_ != Phase::kOpen)) read_available();
  if (phase_ != Phase::kOpen || !half_closed_seen_ || peer_ended_ || !readable_) return;
  // Input is paused, yet the end of the peer's stream is news: a streamed answer has lost its
  // reader.
  if (!protocol_->wants_input()) return protocol_->on_half_closed();
  if (!tls_ended_) return;
  peer_ended_ = true;
  protocol_->on_peer_end();
}

void Channel::read_available() {
  size_t budget = kReadBudget;
  while (phase_ != Phase::kDead && !peer_ended_) {
    if (phase_ != Phase::kLingering && !protocol_->wants_input()) return;
    if (budget == 0) {
      loop_.pump_later(id_);
      return;
    }
    const ssize_t got =
        ::recv(socket_.get(), loop_.read_buffer(), loop_.read_buffer_size(), MSG_DONTWAIT);
    if (got < 0) {
      if (errno == EINTR) continue;
      readable_ = false;
      if (errno != EAGAIN && errno != EWOULDBLOCK) broken();
      return;
    }
    if (got == 0) {
      peer_ended_ = true;
      readable_ = false;
      if (phase_ == Phase::kOpen) {
        protocol_->on_peer_end();
      } else if (phase_ == Phase::kLingering) {
        destroy();
      }
      return;
    }
    const auto size = static_cast<size_t>(got);
    loop_.core().counters.bytes_received.fetch_add(size, std::memory_order_relaxed);
    budget -= std::min(budget, size);
    if (!take_input({loop_.read_buffer(), size})) return;
    // A short read means that the socket was empty, and its next byte raises a new edge.
    if (size < loop_.read_buffer_size() && !half_closed_seen_) {
      readable_ = false;
      return;
    }
  }
}

bool Channel::take_input(std::string_view raw) {
  if (phase_ != Phase::kOpen) {
    lingered_bytes_ += static_cast<uint32_t>(raw.size());
    if (lingered_bytes_ > kLingerBytes) destroy();
    return phase_ != Phase::kDead;
  }
  if (!writer_->tls()) {
    protocol_->on_bytes(raw);
    return phase_ != Phase::kDead;
  }
  std::string& plain = loop_.plain_buffer();
  plain.clear();
  const auto state = writer_->decrypt(raw, plain);
  if (!plain.empty()) protocol_->on_bytes(plain);
  if (phase_ == Phase::kDead) return false;
  if (state == TlsSession::State::kFailed) {
    broken();
    return false;
  }
  if (state == TlsSession::State::kClosed && phase_ == Phase::kOpen) {
    tls_ended_ = half_closed_seen_ = true;
    return false;
  }
  return true;
}

void Channel::flush() {
  const Writer::Flush flushed = writer_->flush();
  switch (flushed) {
    case Writer::Flush::kBlocked: return;
    case Writer::Flush::kFailed:
      // The error event that follows has more to say only when input is left to read.
      if (phase_ != Phase::kOpen) destroy();
      return;
    case Writer::Flush::kIdle:
    case Writer::Flush::kDrained: break;
  }
  if (phase_ == Phase::kFlushing) {
    begin_linger();
  } else if (phase_ == Phase::kOpen && flushed == Writer::Flush::kDrained) {
    protocol_->on_drained();
  }
}

void Channel::on_wheel(int64_t now_ms) {
  if (phase_ == Phase::kDead || deadline_ms_ == 0) return;
  if (deadline_ms_ > now_ms) {
    loop_.wheel().schedule(*this, deadline_ms_);
    return;
  }
  deadline_ms_ = 0;
  if (phase_ == Phase::kOpen) {
    protocol_->on_deadline(now_ms);
  } else if (phase_ == Phase::kFlushing && made_progress()) {
    set_deadline(now_ms + listener_.options.limits.send_timeout_ms);
  } else {
    destroy();
  }
}

bool Channel::made_progress() {
  return writer_->sent_bytes() != std::exchange(progress_bytes_, writer_->sent_bytes());
}

void Channel::set_deadline(int64_t at_ms) {
  deadline_ms_ = at_ms;
  if (at_ms != 0 && (!scheduled() || due_ms() > at_ms)) loop_.wheel().schedule(*this, at_ms);
}

void Channel::on_command(Command& command) {
  if (phase_ == Phase::kOpen) protocol_->on_command(command);
}

void Channel::shut_down() {
  if (phase_ == Phase::kOpen) protocol_->on_shutdown();
}

void Channel::close_gracefully() {
  if (phase_ != Phase::kOpen) return;
  const Limits& limits = listener_.options.limits;
  phase_ = Phase::kFlushing;
  set_deadline(now_ms() + limits.send_timeout_ms);
  if (writer_->queued_bytes() == 0) begin_linger();
}

void Channel::begin_linger() {
  writer_->shut_down();
  if (peer_ended_) {
    destroy();
    return;
  }
  phase_ = Phase::kLingering;
  set_deadline(now_ms() + listener_.options.limits.linger_timeout_ms);
  loop_.pump_later(id_);
}

void Channel::broken() {
  if (phase_ == Phase::kDead) return;
  if (phase_ == Phase::kOpen) protocol_->on_broken();
  destroy();
}

void Channel::destroy() {
  if (phase_ == Phase::kDead) return;
  phase_ = Phase::kDead;
  writer_->detach();
  loop_.bury(id_);
}

}  // namespace gantry::transport
