// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "fixture.hpp"
#include "peer.hpp"

using namespace gantry::transport;
using namespace gantry::transport::test;

namespace {

/// A WebSocket that `sink` hears, and its client after the handshake.
struct Talk {
  Promised<WsSocketPtr> socket;
  TestServer server;
  Peer peer;

  Talk(const ListenerOptions& options, const std::shared_ptr<WsSink>& sink)
      : server(options), peer(mounted(sink)) {
    peer.send(handshake());
    peer.read_until("\r\n\r\n");
  }

 private:
  uint16_t mounted(const std::shared_ptr<WsSink>& sink) {
    server.mount_ws("/ws", [this, sink](const WsSocketPtr& opened) {
      opened->accept({.subprotocol = {}, .headers = {}, .sink = sink});
      socket.set(opened);
    });
    return server.port;
  }
};

}  // namespace

TEST_CASE("handshake, echo, close") {
  Promised<std::string> closed;
  TestServer server;
  server.mount_ws("/ws", [&](WsSocketPtr socket) { EchoSink::open(std::move(socket), &closed); });
  Peer peer(server.port);
  peer.send(handshake() + client_frame(0x81, "early"));
  const std::string head = peer.read_until("\r\n\r\n");
  CHECK(has(head, "101 Switching Protocols"));
  CHECK(has(head, "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo="));
  CHECK(read_frame(peer).payload == "early");
  peer.send(client_frame(0x82, std::string(70'000, 'b')));
  CHECK(read_frame(peer).payload.size() == 70'000);
  peer.send(client_frame(0x89, "ping"));
  const auto pong = read_frame(peer);
  CHECK(pong.first == 0x8a);
  CHECK(pong.payload == "ping");
  peer.send(client_frame(0x88,
                         "\x0f\xa1"
                         "bye"));
  const auto close = read_frame(peer);
  CHECK(close.first == 0x88);
  CHECK(close.close_code() == 4001);
  CHECK(peer.closed());
  CHECK(closed.get() == "4001 bye peer");
}

TEST_CASE("messages that are still arriving have a limit together") {
  ServerOptions few;
  few.arriving_bytes = 100'000;
  TestServer server({}, few);
  server.mount_ws("/ws", [](WsSocketPtr socket) { EchoSink::open(std::move(socket)); });
  const std::string part(60'000, 'b');
  Peer one(server.port);
  one.send(handshake() + client_frame(0x02, part));
  REQUIRE(server.taken(1, part.size(), 1));
  Peer two(server.port);
  two.send(handshake() + client_frame(0x02, part));
  two.read_until("\r\n\r\n");
  CHECK(read_frame(two).close_code() == 1013);
  one.send(client_frame(0x80, part));
  one.read_until("\r\n\r\n");
  CHECK(read_frame(one).payload.size() == 2 * part.size());
  Peer three(server.port);
  three.send(handshake() + client_frame(0x02, part) + client_frame(0x80, part));
  three.read_until("\r\n\r\n");
  CHECK(read_frame(three).payload.size() == 2 * part.size());
}

TEST_CASE("letting go of an open socket closes it with 1001") {
  TestServer server;
  server.mount_ws("/ws", [](const WsSocketPtr& socket) { socket->accept({}); });
  Peer peer(server.port);
  peer.send(handshake());
  peer.read_until("\r\n\r\n");
  CHECK(read_frame(peer).close_code() == 1001);
  peer.send(client_frame(0x88, "\x03\xe9"));
  CHECK(peer.closed());
}

TEST_CASE("sending at once after accept, from another thread, and closing") {
  Promised<std::string> closed;
  struct Sink final : WsSink {
    Promised<std::string>* closed = nullptr;
    void on_message(WsMessage) override {}
    void on_closed(uint16_t code, std::string_view reason, bool by_peer) override {
      closed->set(std::to_string(code) + " " + std::string(reason) + (by_peer ? " peer" : " us"));
    }
  };
  auto sink = std::make_shared<Sink>();
  sink->closed = &closed;
  Promised<WsSocketPtr> held;
  TestServer server;
  server.mount_ws("/ws", [&](const WsSocketPtr& socket) { held.set(socket); });
  Peer peer(server.port);
  peer.send(handshake());
  auto socket = held.get();
  held.set(nullptr);
  CHECK(socket->accept({.subprotocol = {}, .headers = {}, .sink = sink}));
  CHECK_FALSE(socket->accept({}));
  CHECK(socket->send(true, Bytes::copy("hello")) == SendResult::kSent);
  socket->close(4005, "enough");
  CHECK(socket->send(true, Bytes::copy("late")) == SendResult::kDropped);
  peer.read_until("\r\n\r\n");
  CHECK(read_frame(peer).payload == "hello");
  const auto close = read_frame(peer);
  CHECK(close.close_code() == 4005);
  CHECK(close.payload.substr(2) == "enough");
  CHECK(closed.get() == "4005 enough us");
  peer.send(client_frame(0x88, "\x0f\xa5"));
  CHECK(peer.closed());
}

TEST_CASE("violations are answered with their code and end the connection") {
  ListenerOptions options;
  options.limits.message_bytes = 1000;
  TestServer server(options);
  server.mount_ws("/ws", [](WsSocketPtr socket) { EchoSink::open(std::move(socket)); });
  const std::vector<std::pair<std::string, int>> table = {
      {client_frame(0x81, "x", false), 1002},
      {client_frame(0x81, "\xff"), 1007},
      {client_frame(0x81, std::string(1001, 'x')), 1009},
      {client_frame(0x88, "\x03\xec"), 1002},
  };
  for (const auto& [bytes, code] : table) {
    Peer peer(server.port);
    peer.send(handshake());
    peer.read_until("\r\n\r\n");
    peer.send(bytes);
    CHECK(read_frame(peer).close_code() == code);
    peer.half_close();
    CHECK(peer.closed());
  }
}

TEST_CASE("a handler that does not consume makes the peer wait") {
  ListenerOptions options;
  options.limits.receive_credit = 4;
  struct Sink final : WsSink {
    std::atomic<int> received{0};
    WsSocketPtr socket;
    void on_message(WsMessage) override { ++received; }
    void on_closed(uint16_t, std::string_view, bool) override { socket.reset(); }
  };
  const auto sink = std::make_shared<Sink>();
  Promised<WsSocketPtr> held;
  TestServer server(options);
  server.mount_ws("/ws", [&](const WsSocketPtr& socket) {
    sink->socket = socket;
    socket->accept({.subprotocol = {}, .headers = {}, .sink = sink});
    held.set(socket);
  });
  Peer peer(server.port);
  peer.send(handshake());
  peer.read_until("\r\n\r\n");
  std::string frames;
  for (int i = 0; i < 10; ++i) frames += client_frame(0x81, "m");
  peer.send(frames + client_frame(0x89, "p"));
  const auto wait_for = [&](int count) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(5);
    while (sink->received < count && std::chrono::steady_clock::now() < until) {
      std::this_thread::yield();
    }
    return sink->received.load();
  };
  CHECK(wait_for(4) == 4);
  CHECK(peer.silent(30));  // no pong: the ping lies behind what is not read
  CHECK(sink->received == 4);
  held.get()->consumed(4, 4);
  CHECK(wait_for(8) == 8);
  held.get()->consumed(4, 4);
  CHECK(wait_for(10) == 10);
  CHECK(read_frame(peer).first == 0x8a);
  held.set(nullptr);
}

TEST_CASE("a peer is not silent while the handler keeps it waiting") {
  ListenerOptions options;
  options.limits.receive_credit = 2;
  struct Sink final : WsSink {
    Promised<bool> full;
    Promised<std::string> end;
    std::atomic<int> received{0};
    void on_message(WsMessage) override {
      if (++received == 2) full.set(true);
    }
    void on_closed(uint16_t, std::string_view reason, bool) override {
      end.set(std::string(reason));
    }
  };
  const auto sink = std::make_shared<Sink>();
  Talk talk(options, sink);
  REQUIRE(talk.server.taken(1, 0, 1));
  talk.server.pass(31'000);
  CHECK(read_frame(talk.peer).first == 0x89);
  // Its answer lies behind what the handler has no room for.
  talk.peer.send(client_frame(0x81, "a") + client_frame(0x81, "b") + client_frame(0x81, "c") +
                 client_frame(0x8a, ""));
  REQUIRE(sink->full.get());
  for (int i = 0; i < 10; ++i) talk.server.pass(31'000);
  CHECK_FALSE(sink->end.is_set());
  talk.socket.get()->consumed(2, 2);
  talk.peer.send(client_frame(0x89, "there"));
  auto frame = read_frame(talk.peer);
  while (frame.first == 0x89) frame = read_frame(talk.peer);
  CHECK(frame.first == 0x8a);
  talk.socket.set(nullptr);
}

TEST_CASE("a flood with little credit is heard whole and in order, up to the close behind it") {
  constexpr int kSent = 30'000;
  ListenerOptions options;
  options.limits.receive_credit = 4;
  struct Sink final : WsSink {
    std::mutex mutex;
    std::condition_variable arrived;
    std::deque<std::size_t> unpaid;  // sizes of messages whose credit has not gone back
    int in_order = 0;
    std::string end;
    void on_message(WsMessage message) override {
      const std::lock_guard lock(mutex);
      if (message.data == std::to_string(in_order)) ++in_order;
      unpaid.push_back(message.data.size());
      arrived.notify_one();
    }
    void on_closed(uint16_t code, std::string_view reason, bool) override {
      const std::lock_guard lock(mutex);
      end = std::to_string(code) + " " + std::string(reason);
      arrived.notify_one();
    }
  };
  const auto sink = std::make_shared<Sink>();
  Talk talk(options, sink);
  // Credit comes back from another thread, so also in the middle of a read.
  std::thread payer([&, socket = talk.socket.get()] {
    std::unique_lock lock(sink->mutex);
    while (true) {
      sink->arrived.wait(lock, [&] { return !sink->unpaid.empty() || !sink->end.empty(); });
      if (sink->unpaid.empty()) return;
      const std::size_t size = sink->unpaid.front();
      sink->unpaid.pop_front();
      lock.unlock();
      socket->consumed(1, size);
      lock.lock();
    }
  });
  std::string frames;
  for (int i = 0; i < kSent; ++i) frames += client_frame(0x81, std::to_string(i));
  talk.peer.send(frames + client_frame(0x88, "\x0f\xa1over"));
  CHECK(read_frame(talk.peer).close_code() == 4001);
  payer.join();
  CHECK(sink->in_order == kSent);
  CHECK(sink->end == "4001 over");
  talk.socket.set(nullptr);
}

TEST_CASE("a slow consumer is closed with a reason, nothing is skipped silently") {
  ListenerOptions options;
  options.limits.send_queue_bytes = 128 * 1024;
  options.deflate.enabled = false;
  Promised<WsSocketPtr> held;
  Promised<std::string> closed;
  struct Sink final : WsSink {
    Promised<std::string>* closed = nullptr;
    void on_message(WsMessage) override {}
    void on_closed(uint16_t code, std::string_view reason, bool) override {
      closed->set(std::to_string(code) + " " + std::string(reason));
    }
  };
  auto sink = std::make_shared<Sink>();
  sink->closed = &closed;
  TestServer server(options);
  server.mount_ws("/ws", [&](const WsSocketPtr& socket) {
    socket->accept({.subprotocol = {}, .headers = {}, .sink = sink});
    held.set(socket);
  });
  Peer peer(server.port);
  peer.send(handshake());
  peer.read_until("\r\n\r\n");
  const auto socket = held.get();
  size_t accepted = 0;
  for (int i = 0; i < 100'000; ++i) {
    std::string message = std::to_string(i) + " " + std::string(10'000, 'x');
    if (socket->send(true, Bytes(std::move(message))) == SendResult::kDropped) break;
    ++accepted;
  }
  CHECK(accepted < 100'000);
  CHECK(has(closed.get(), "1008 slow consumer"));
  // What did arrive is in order and whole, and the last word is the close frame.
  size_t seen = 0;
  while (true) {
    const ServerFrame frame = read_frame(peer);
    if (frame.first != 0x81) {
      CHECK(frame.first == 0x88);
      CHECK(frame.close_code() == 1008);
      break;
    }
    CHECK(has(frame.payload.substr(0, 10), std::to_string(seen) + " "));
    ++seen;
  }
  CHECK(seen <= accepted);
  held.set(nullptr);
}

TEST_CASE("pings keep a silent peer honest") {
  Promised<std::string> closed;
  TestServer server;
  server.mount_ws("/ws", [&](WsSocketPtr socket) { EchoSink::open(std::move(socket), &closed); });
  Peer peer(server.port);
  peer.send(handshake());
  peer.read_until("\r\n\r\n");
  REQUIRE(server.taken(1, 0, 1));
  server.pass(31'000);
  CHECK(read_frame(peer).first == 0x89);
  peer.send(client_frame(0x8a, ""));
  peer.send(client_frame(0x81, "x"));
  CHECK(read_frame(peer).payload == "x");
  server.pass(31'000);
  server.pass(31'000);
  ServerFrame frame = read_frame(peer);
  CHECK(frame.first == 0x89);
  for (int i = 0; i < 3; ++i) server.pass(31'000);
  frame = read_frame(peer);
  CHECK(frame.first == 0x88);
  CHECK(frame.close_code() == 1001);
  CHECK(has(closed.get(), "1006"));
}

TEST_CASE("compression both ways, with and without context takeover") {
  const bool takeover = GENERATE(false, true);
  ListenerOptions options;
  options.deflate.context_takeover = takeover;
  options.deflate.min_bytes = 16;
  TestServer server(options);
  server.mount_ws("/ws", [](WsSocketPtr socket) { EchoSink::open(std::move(socket)); });
  Peer peer(server.port);
  peer.send(
      handshake("/ws", "Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits\r\n"));
  const std::string head = peer.read_until("\r\n\r\n");
  CHECK(has(head, "Sec-WebSocket-Extensions: permessage-deflate"));
  CHECK(has(head, "server_no_context_takeover") != takeover);
  const std::string text =
      "a text that is long enough to be worth compressing, with repeats repeats";
  std::string context;
  Inflater inflater;
  std::string window;
  for (int i = 0; i < 3; ++i) {
    peer.send(client_frame(0xc1, deflate_message(text, 6, 15, takeover ? &context : nullptr)));
    const ServerFrame frame = read_frame(peer);
    CHECK(frame.first == 0xc1);
    std::string out;
    inflater.begin(window);
    CHECK(inflater.feed(frame.payload, out, 1000) == Inflater::State::kOk);
    CHECK(inflater.finish(out, 1000) == Inflater::State::kOk);
    CHECK(out == text);
    if (takeover) window = inflater.dictionary();
  }
}

TEST_CASE("a vanished peer is 1006, a stopped server 1001") {
  Promised<std::string> closed;
  TestServer server;
  server.mount_ws("/ws", [&](WsSocketPtr socket) { EchoSink::open(std::move(socket), &closed); });
  {
    Peer peer(server.port);
    peer.send(handshake());
    peer.read_until("\r\n\r\n");
  }
  CHECK(has(closed.get(), "1006"));
  Peer peer(server.port);
  peer.send(handshake());
  peer.read_until("\r\n\r\n");
  std::thread stopper([&] { server.server->stop(5'000); });
  CHECK(read_frame(peer).close_code() == 1001);
  peer.send(client_frame(0x88, "\x03\xe9"));
  CHECK(peer.closed());
  stopper.join();
}
