// SPDX-License-Identifier: Apache-2.0
#include "outbox.hpp"

#include <utility>

namespace gantry::agent_ws {

bool Outbox::try_send(Stream<WsMessage>& down, const Ref<WsMessage>& frame) {
  const Result<void> sent = down.send(frame);
  return sent.ok() || sent.error().code != Code::ResourceExhausted;
}

void Outbox::send(Stream<WsMessage>& down, std::string frame) {
  auto message = make_body<WsMessage>({WsOpcode::Text, Buffer::of(std::move(frame))});
  if (frames_.empty() && try_send(down, message)) return;
  bytes_ += message->data.size();
  frames_.push_back(std::move(message));
}

void Outbox::flush(Stream<WsMessage>& down) {
  while (!frames_.empty() && try_send(down, frames_.front())) {
    bytes_ -= frames_.front()->data.size();
    frames_.pop_front();
  }
}

}  // namespace gantry::agent_ws
