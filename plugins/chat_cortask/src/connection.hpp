// SPDX-License-Identifier: Apache-2.0
#pragma once
// One WebSocket: its messages in their order, and its way out. Strand only. An idle one is small:
// there may be ten thousand.

#include <gantry/contracts/http.hpp>
#include <gantry/host.hpp>
#include <gantry/stream.hpp>
#include <gantry/ws_outbox.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "incoming.hpp"

namespace gantry::chat_cortask {

class Connection;

/// Who is told of what a connection does.
class ConnectionOwner {
 public:
  virtual void on_message(const std::shared_ptr<Connection>& from, ClientMessage message) = 0;
  /// There is room again for frames.
  virtual void on_room(const std::shared_ptr<Connection>& connection) = 0;
  virtual void on_gone(const std::shared_ptr<Connection>& connection) = 0;

 protected:
  ~ConnectionOwner() = default;
};

class Connection final : public StreamReceiver<WsMessage>,
                         public std::enable_shared_from_this<Connection> {
 public:
  Connection(Host& host, ConnectionOwner& owner, std::uint64_t number, Stream<WsMessage> down)
      : host_(host), owner_(owner), number_(number), down_(std::move(down)) {}

  /// Accepts the WebSocket; the handlers of its stream.
  StreamHandlers<WsMessage> open();
  void on_chunk(const Ref<WsMessage>& frame) override;
  void on_room() override;
  void on_end(const Error& end) override;

  void send(std::string frame);
  /// Closes the WebSocket; the owner is not told.
  void close(std::uint16_t code, std::string_view reason);

  [[nodiscard]] std::uint64_t number() const { return number_; }
  /// Whether whoever makes frames for it should go on.
  [[nodiscard]] bool has_room() const { return outbox_.has_room(); }

 private:
  void work();
  void read_elsewhere(const Ref<WsMessage>& frame);

  Host& host_;
  ConnectionOwner& owner_;
  const std::uint64_t number_;
  Stream<WsMessage> down_;
  WsOutbox outbox_;
  std::vector<Ref<WsMessage>> inbox_;  // few: the transport waits for credit
  bool reading_ = false;  // a large message is on another thread; the next ones wait for it
  bool closed_ = false;
};

}  // namespace gantry::chat_cortask
