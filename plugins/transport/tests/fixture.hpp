// SPDX-License-Identifier: Apache-2.0
#pragma once

// A server with handlers made of lambdas and a clock that tests move.

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "handler.hpp"
#include "server.hpp"

namespace gantry::transport::test {

inline bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

class ManualClock final : public Clock {
 public:
  int64_t now_ms() const override { return now_; }
  void advance(int64_t ms) { now_ += ms; }

 private:
  std::atomic<int64_t> now_{1'000'000};
};

class LambdaHandler final : public MountHandler {
 public:
  std::function<void(ExchangePtr)> request;
  std::function<void(WsSocketPtr)> websocket;
  void on_request(ExchangePtr exchange) override {
    if (request) request(std::move(exchange));
  }
  void on_websocket(WsSocketPtr socket) override {
    if (websocket) websocket(std::move(socket));
  }
};

/// Something that another thread will set; get() waits for it.
template <class T>
class Promised {
 public:
  void set(T value) {
    const std::lock_guard lock(mutex_);
    value_ = std::move(value);
    set_ = true;
    arrived_.notify_all();
  }
  /// The value, or a default one after twenty seconds.
  T get() {
    std::unique_lock lock(mutex_);
    arrived_.wait_for(lock, std::chrono::seconds(20), [this] { return set_; });
    return value_;
  }
  bool is_set() {
    const std::lock_guard lock(mutex_);
    return set_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable arrived_;
  T value_{};
  bool set_ = false;
};

/// Declare it after everything that its handlers and sinks refer to: its destructor ends the
/// connections, and they are told so.
class TestServer {
 public:
  explicit TestServer(ListenerOptions options = {}, ServerOptions server_options = {}) {
    server_options.loops = 2;
    server_options.clock = clock;
    server = std::make_unique<Server>(std::move(server_options));
    server->start();
    auto bound = server->listen(std::move(options));
    if (auto* error = std::get_if<ListenFailure>(&bound)) {
      failure = error->message;
    } else {
      port = std::get<BoundListener>(bound).port;
    }
  }

  std::shared_ptr<Mount> mount(std::string path, std::vector<std::string> methods,
                               std::function<void(ExchangePtr)> handler) {
    auto lambda = std::make_shared<LambdaHandler>();
    lambda->request = std::move(handler);
    return add(std::move(path), std::move(methods), MountKind::kRequest, std::move(lambda));
  }
  std::shared_ptr<Mount> mount_ws(std::string path, std::function<void(WsSocketPtr)> handler) {
    auto lambda = std::make_shared<LambdaHandler>();
    lambda->websocket = std::move(handler);
    return add(std::move(path), {}, MountKind::kWebSocket, std::move(lambda));
  }
  /// Moves time and lets the loops see it.
  void pass(int64_t ms) {
    clock->advance(ms);
    server->poke();
  }

  /// The loops have begun to treat what the test has sent so far, so that time may pass for it.
  bool taken(uint64_t connections, uint64_t bytes, uint64_t websockets = 0) {
    const Counters& seen = server->counters();
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (seen.connections_open < connections || seen.bytes_received < bytes ||
           seen.websockets_open < websockets) {
      if (std::chrono::steady_clock::now() > until) return false;
      std::this_thread::yield();
    }
    return true;
  }

  std::shared_ptr<ManualClock> clock = std::make_shared<ManualClock>();
  std::unique_ptr<Server> server;
  std::string failure;
  uint16_t port = 0;

 private:
  std::shared_ptr<Mount> add(std::string path, std::vector<std::string> methods, MountKind kind,
                             std::shared_ptr<MountHandler> handler) {
    auto mount = std::make_shared<Mount>();
    mount->owner = "test";
    mount->listener = "main";
    mount->path = std::move(path);
    mount->methods = std::move(methods);
    mount->kind = kind;
    mount->handler = std::move(handler);
    if (auto refused = server->mount(mount)) failure = refused->message;
    return mount;
  }
};

inline Response text_response(std::string text, std::string type = "text/plain") {
  Response response;
  response.head.content_type = std::move(type);
  response.body = Bytes(std::move(text));
  return response;
}

/// Answers with method, path and body.
inline void echo(const ExchangePtr& exchange) {
  const Request& request = *exchange->request();
  exchange->respond(text_response(std::string(request.head.method) + " " +
                                  std::string(request.head.path) + " " + request.body));
}

/// An echoing WebSocket: the handle lives in its sink.
class EchoSink final : public WsSink {
 public:
  explicit EchoSink(Promised<std::string>* closed = nullptr) : closed_(closed) {}
  static void open(WsSocketPtr socket, Promised<std::string>* closed = nullptr) {
    auto sink = std::make_shared<EchoSink>(closed);
    sink->socket_ = socket;
    socket->accept({.subprotocol = {}, .headers = {}, .sink = sink});
  }
  void on_message(WsMessage message) override {
    const size_t size = message.data.size();
    socket_->send(message.text, Bytes(std::move(message.data)));
    socket_->consumed(1, size);
  }
  void on_closed(uint16_t code, std::string_view reason, bool by_peer) override {
    if (closed_ != nullptr) {
      closed_->set(std::to_string(code) + " " + std::string(reason) + (by_peer ? " peer" : " us"));
    }
    socket_.reset();
  }

 private:
  Promised<std::string>* closed_;
  WsSocketPtr socket_;
};

}  // namespace gantry::transport::test
