// SPDX-License-Identifier: Apache-2.0
// Clients that end their side while their request is handled: some wait for the answer, some are
// gone.
#include <catch2/catch.hpp>

#include <chrono>

#include "fixture.hpp"
#include "peer.hpp"

using namespace gantry::transport;
using namespace gantry::transport::test;

namespace {

constexpr int64_t kLater = 1000;  ///< ms; longer than a client that ended its side is left alone

/// A handler that keeps its exchange, and what it is told about the client.
struct Held : ExchangeSink, std::enable_shared_from_this<Held> {
  void take(ExchangePtr exchange) {
    exchange->set_sink(shared_from_this());
    taken.set(std::move(exchange));
  }
  void on_gone() override { gone.set(true); }

  Promised<ExchangePtr> taken;
  Promised<bool> gone;
};

/// A client whose request is with its handler.
struct Asking {
  std::shared_ptr<Held> held = std::make_shared<Held>();
  TestServer server;
  Peer peer;
  ExchangePtr exchange;

  /// With `half_closed` its side of the connection ends right after the request.
  explicit Asking(const std::string& bytes = request("GET /slow"), bool half_closed = false)
      : peer(mounted(server, held)) {
    peer.send(bytes);
    if (half_closed) peer.half_close();
    exchange = held->taken.get();
    REQUIRE(exchange);
  }

 private:
  static uint16_t mounted(TestServer& server, const std::shared_ptr<Held>& held) {
    server.mount("/slow", {}, [held](ExchangePtr taken) { held->take(std::move(taken)); });
    return server.port;
  }
};

/// A WebSocket's handler that is full with four messages, and a client that says ten and goes.
struct Saying {
  struct Sink : WsSink {
    void on_message(WsMessage) override { ++received; }
    void on_closed(uint16_t code, std::string_view, bool by_peer) override {
      end.set(std::to_string(code) + (by_peer ? " peer" : " us"));
    }
    std::atomic<int> received{0};
    Promised<std::string> end;
  };

  std::shared_ptr<Sink> sink = std::make_shared<Sink>();
  Promised<WsSocketPtr> socket;
  TestServer server{room_for_four()};
  Peer peer;

  Saying() : peer(mounted()) {
    peer.send(handshake());
    peer.read_until("\r\n\r\n");
    std::string frames;
    for (int i = 0; i < 10; ++i) frames += client_frame(0x81, "m");
    peer.send(frames);
    peer.close();
  }
  ~Saying() { socket.set(nullptr); }

 private:
  static ListenerOptions room_for_four() {
    ListenerOptions options;
    options.limits.receive_credit = 4;
    return options;
  }
  uint16_t mounted() {
    server.mount_ws("/ws", [this](const WsSocketPtr& opened) {
      opened->accept({.subprotocol = {}, .headers = {}, .sink = sink});
      socket.set(opened);
    });
    return server.port;
  }
};

/// Moves time on until `done` holds; false when it does not within 20 seconds of real time.
template <class Done>
bool pass_until(TestServer& server, Done done) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!done()) {
    if (std::chrono::steady_clock::now() > until) return false;
    server.pass(kLater);
    std::this_thread::yield();
  }
  return true;
}

}  // namespace

TEST_CASE("a handler is told when its client has closed the connection in good order") {
  Asking asking;
  const bool another_waits = GENERATE(false, true);
  if (another_waits) asking.peer.send(request("GET /next"));
  asking.peer.close();
  CHECK(pass_until(asking.server, [&] { return asking.held->gone.is_set(); }));
}

TEST_CASE("a client that hung up is missed within 50 ms") {
  Asking asking;
  asking.peer.close();
  // Loops see the end of a connection with or before the requests of one that comes after it.
  for (int i = 0; i < 8; ++i) {
    Peer later(asking.server.port);
    later.send(request("GET /nothing"));
    REQUIRE(has(later.read_response(), "404"));
  }
  asking.server.pass(50);
  CHECK(asking.held->gone.get());
}

TEST_CASE("a client that only ended its side gets its answer after an interim one") {
  Asking asking;
  asking.peer.half_close();
  REQUIRE(pass_until(asking.server, [&] { return !asking.peer.silent(0); }));
  CHECK(asking.peer.read_until("\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n");
  asking.exchange->respond(text_response("late"));
  CHECK(has(asking.peer.read_response(), "late"));
  CHECK(asking.peer.closed());
  CHECK_FALSE(asking.held->gone.is_set());
}

TEST_CASE("a client of HTTP/1.0 that ended its side gets nothing but its answer") {
  Asking asking("GET /slow HTTP/1.0\r\nHost: localhost\r\n\r\n", true);
  asking.server.pass(kLater);
  asking.exchange->respond(text_response("late"));
  const std::string all = asking.peer.read_all();
  CHECK(has(all, "late"));
  CHECK_FALSE(has(all, "100 Continue"));
}

TEST_CASE(
    "a client that only ended its side gets an answer in parts, too, when it is soon complete") {
  Asking asking;
  asking.peer.half_close();
  REQUIRE(pass_until(asking.server, [&] { return !asking.peer.silent(0); }));
  CHECK(asking.peer.read_until("\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n");
  asking.exchange->start({});
  asking.exchange->write(Bytes(std::string("all of it")));
  asking.exchange->finish();
  const std::string answer = asking.peer.read_all();
  CHECK(has(answer, "all of it"));
  CHECK(has(answer, "0\r\n\r\n"));
  CHECK_FALSE(asking.held->gone.is_set());
}

TEST_CASE("a stream is given up when its client has ended its side and it does not end soon") {
  Asking asking;
  asking.exchange->start({});
  asking.exchange->write(Bytes(std::string("the first part")));
  asking.peer.read_until("the first part");
  asking.peer.half_close();
  CHECK(pass_until(asking.server, [&] { return asking.held->gone.is_set(); }));
  CHECK(asking.peer.closed());
}

TEST_CASE("a WebSocket whose client has gone ends though not all that it said is read yet") {
  Saying saying;
  CHECK(pass_until(saying.server, [&] { return saying.sink->end.is_set(); }));
  CHECK(saying.sink->end.get() == "1006 peer");
  CHECK(saying.sink->received == 4);
}

TEST_CASE("a WebSocket's handler that has room again in time hears all that its client said") {
  Saying saying;
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  for (int taken = 0; !saying.sink->end.is_set() && std::chrono::steady_clock::now() < until;) {
    if (taken == saying.sink->received) continue;
    ++taken;
    saying.socket.get()->consumed(1, 1);
  }
  CHECK(saying.sink->received == 10);
}
