// SPDX-License-Identifier: Apache-2.0
#include "connection.hpp"

#include <gantry/codec.hpp>

#include <fmt/format.h>

#include <utility>

namespace gantry::chat_cortask {
namespace {

/// Larger messages are read on another thread, so that one client's picture holds up nobody.
constexpr std::size_t kLargeMessage = 64 << 10;

}  // namespace

StreamHandlers<WsMessage> Connection::open() {
  (void)down_.send(WsMessage{WsOpcode::Accept, {}});  // a stream that has ended says so by on_end
  StreamHandlers<WsMessage> handlers;
  handlers.receiver = shared_from_this();
  return handlers;
}

void Connection::on_room() {
  if (closed_) return;
  const auto alive = shared_from_this();
  outbox_.flush(down_);
  if (!has_room()) return;
  owner_.on_room(alive);
  work();
}

void Connection::on_end(const Error&) {
  if (std::exchange(closed_, true)) return;
  inbox_.clear();
  owner_.on_gone(shared_from_this());
}

void Connection::send(std::string frame) {
  if (!closed_) outbox_.send(down_, std::move(frame));
}

void Connection::close(std::uint16_t code, std::string_view reason) {
  if (std::exchange(closed_, true)) return;
  outbox_.flush(down_);
  inbox_.clear();
  std::string words;
  codec::write_string(words, reason);
  down_.close(Error{Code::Cancelled, std::string(reason),
                    fmt::format(R"({{"close_code":{},"reason":{}}})", code, words)});
}

void Connection::on_chunk(const Ref<WsMessage>& frame) {
  if (closed_) return;
  inbox_.push_back(frame);
  work();
}

/// Takes messages in their order, until one of them has to be waited for, or the client does not
/// read what is said to it: then it is not listened to either. Text or binary: existing clients may
/// send either.
void Connection::work() {
  const auto alive = shared_from_this();
  while (!inbox_.empty() && !reading_ && !closed_ && has_room()) {
    const Ref<WsMessage> frame = std::move(inbox_.front());
    inbox_.erase(inbox_.begin());
    if (inbox_.empty()) inbox_.shrink_to_fit();  // an idle one has nothing
    if (frame->data.size() >= kLargeMessage) {
      read_elsewhere(frame);
    } else {
      owner_.on_message(alive, read_message(frame->data.text()));
    }
    down_.grant(1);
  }
}

void Connection::read_elsewhere(const Ref<WsMessage>& frame) {
  reading_ = true;
  const std::weak_ptr<Connection> weak = weak_from_this();
  Host& host = host_;
  host.blocking([weak, frame, &host] {
    auto message = std::make_shared<ClientMessage>(read_message(frame->data.text()));
    host.post([weak, message] {
      const auto self = weak.lock();
      if (!self || self->closed_) return;
      self->reading_ = false;
      self->owner_.on_message(self, std::move(*message));
      self->work();
    });
  });
}

}  // namespace gantry::chat_cortask
