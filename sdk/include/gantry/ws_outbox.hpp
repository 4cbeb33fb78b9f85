// SPDX-License-Identifier: Apache-2.0
//
// WsOutbox: messages on their way to one WebSocket client, for protocol plugins: sent while there
// is credit, kept in order while there is none. Used on the strand of the plugin that has the
// stream.
#pragma once

#include <gantry/contracts/http.hpp>
#include <gantry/stream.hpp>

#include <cstddef>
#include <deque>
#include <memory>
#include <string>
#include <utility>

namespace gantry {

class WsOutbox {
 public:
  /// Sends or keeps a text message; a stream that has ended drops it.
  void send(Stream<WsMessage>& down, std::string text) {
    auto message = make_body<WsMessage>({WsOpcode::Text, Buffer::of(std::move(text))});
    if (empty() && try_send(down, message)) return;
    bytes_ += message->data.size();
    if (!waiting_) waiting_ = std::make_unique<Queue>();
    waiting_->push_back(std::move(message));
  }
  /// There is credit again.
  void flush(Stream<WsMessage>& down) {
    while (!empty() && try_send(down, waiting_->front())) {
      bytes_ -= waiting_->front()->data.size();
      waiting_->pop_front();
      if (waiting_->empty()) waiting_.reset();
    }
  }
  /// Whether whoever makes messages should go on: fewer than 256 wait, and less than a mebibyte.
  [[nodiscard]] bool has_room() const {
    return (!waiting_ || waiting_->size() < kManyMessages) && bytes_ < kManyBytes;
  }
  /// Whether even answers are too much: the client does not read what it is told, and is not to be
  /// listened to until it does. Four times what has_room() allows, so that who only reads slowly
  /// can still say that it has heard enough.
  [[nodiscard]] bool full() const {
    return bytes_ >= 4 * kManyBytes || (waiting_ && waiting_->size() >= 4 * kManyMessages);
  }
  /// What waits.
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  [[nodiscard]] bool empty() const { return !waiting_; }

 private:
  static constexpr std::size_t kManyMessages = 256;
  static constexpr std::size_t kManyBytes = 1 << 20;

  /// False when it has to wait.
  static bool try_send(Stream<WsMessage>& down, const Ref<WsMessage>& message) {
    const Result<void> sent = down.send(message);
    return sent.ok() || sent.error().code != Code::ResourceExhausted;
  }

  using Queue = std::deque<Ref<WsMessage>>;
  // Only while something waits: an empty deque has 600 bytes, and most connections are idle.
  std::unique_ptr<Queue> waiting_;
  std::size_t bytes_ = 0;
};

}  // namespace gantry
