// SPDX-License-Identifier: Apache-2.0
//
// One outgoing WebSocket (RFC 6455), over TCP or TLS, through a proxy if need be. run() waits and
// belongs to one thread where that is allowed (Host::blocking); the other members may be called
// from any thread.
#pragma once

#include <gantry/http/client.hpp>
#include <gantry/result.hpp>

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace gantry::http {

struct WebSocketRequest {
  std::string url;  // ws:// or wss://
  std::vector<std::pair<std::string, std::string>> headers;
  std::size_t longest_message = std::size_t{4} << 20U;
};

class WebSocket {
 public:
  struct Message {
    bool text = true;
    std::string data;
  };
  struct Events {
    std::function<void()> opened;
    std::function<void(Message)> message;
    std::function<void()> drained;  // nothing waits to be sent any more
  };

  explicit WebSocket(HttpOptions options);
  ~WebSocket();
  WebSocket(const WebSocket&) = delete;
  WebSocket& operator=(const WebSocket&) = delete;

  /// Connects, and tells what comes until either side closes. Code::Ok when it was closed in good
  /// order; else invalid_argument (the address), unavailable (no connection, or the server refuses
  /// the handshake: the detail is {"status":401}), data_loss (it broke off), resource_exhausted (a
  /// message is too long), cancelled (abort()).
  [[nodiscard]] Error run(const WebSocketRequest& request, const Events& events);
  /// Queues a message. False when the connection has ended, or more than 8 MiB wait already.
  bool send(Message message);
  /// Bytes that wait.
  [[nodiscard]] std::size_t queued();
  /// Closes after what was queued.
  void close();
  /// Ends it at once.
  void abort();

 private:
  struct Connection;
  void wake();
  [[nodiscard]] bool flush(Connection& connection);
  [[nodiscard]] Error talk(Connection& connection, const WebSocketRequest& request,
                           const Events& events);

  HttpOptions options_;
  int wakeup_;  // an eventfd
  std::mutex mutex_;
  std::deque<Message> queue_;
  std::size_t queued_bytes_ = 0;
  bool closing_ = false;
  bool aborted_ = false;
  bool over_ = false;
};

}  // namespace gantry::http
