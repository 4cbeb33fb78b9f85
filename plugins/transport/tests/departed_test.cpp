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
  const auto held = std::make_shared<Held>();
  TestServer server;
  server.mount("/slow", {}, [&](ExchangePtr exchange) { held->take(std::move(exchange)); });
  Peer peer(server.port);
  peer.send(request("GET /slow"));
  const ExchangePtr exchange = held->taken.get();
  REQUIRE(exchange);
  const bool another_waits = GENERATE(false, true);
  if (another_waits) peer.send(request("GET /next"));
  peer.close();
  CHECK(pass_until(server, [&] { return held->gone.is_set(); }));
}

TEST_CASE("a client that hung up is missed within 50 ms") {
  const auto held = std::make_shared<Held>();
  TestServer server;
  server.mount("/slow", {}, [&](ExchangePtr exchange) { held->take(std::move(exchange)); });
  Peer peer(server.port);
  peer.send(request("GET /slow"));
  const ExchangePtr exchange = held->taken.get();
  REQUIRE(exchange);
  peer.close();
  // Loops see the end of a connection with or before the requests of one that comes after it.
  for (int i = 0; i < 8; ++i) {
    Peer later(server.port);
    later.send(request("GET /nothing"));
    REQUIRE(has(later.read_response(), "404"));
  }
  server.pass(50);
  CHECK(held->gone.get());
}

TEST_CASE("a client that only ended its side gets its answer after an interim one") {
  const auto held = std::make_shared<Held>();
  TestServer server;
  server.mount("/slow", {}, [&](ExchangePtr exchange) { held->take(std::move(exchange)); });
  Peer peer(server.port);
  peer.send(request("GET /slow"));
  const ExchangePtr exchange = held->taken.get();
  REQUIRE(exchange);
  peer.half_close();
  REQUIRE(pass_until(server, [&] { return !peer.silent(0); }));
  CHECK(peer.read_until("\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n");
  exchange->respond(text_response("late"));
  CHECK(has(peer.read_response(), "late"));
  CHECK(peer.closed());
  CHECK_FALSE(held->gone.is_set());
}

TEST_CASE("a client of HTTP/1.0 that ended its side gets nothing but its answer") {
  const auto held = std::make_shared<Held>();
  TestServer server;
  server.mount("/slow", {}, [&](ExchangePtr exchange) { held->take(std::move(exchange)); });
  Peer peer(server.port);
  peer.send("GET /slow HTTP/1.0\r\nHost: localhost\r\n\r\n");
  peer.half_close();
  const ExchangePtr exchange = held->taken.get();
  REQUIRE(exchange);
  server.pass(kLater);
  exchange->respond(text_response("late"));
  const std::string all = peer.read_all();
  CHECK(has(all, "late"));
  CHECK_FALSE(has(all, "100 Continue"));
}

TEST_CASE(
    "a client that only ended its side gets an answer in parts, too, when it is soon complete") {
  const auto held = std::make_shared<Held>();
  TestServer server;
  server.mount("/slow", {}, [&](ExchangePtr exchange) { held->take(std::move(exchange)); });
  Peer peer(server.port);
  peer.send(request("GET /slow"));
  const ExchangePtr exchange = held->taken.get();
  REQUIRE(exchange);
  peer.half_close();
  REQUIRE(pass_until(server, [&] { return !peer.silent(0); }));
  CHECK(peer.read_until("\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n");
  exchange->start({});
  exchange->write(Bytes(std::string("all of it")));
  exchange->finish();
  const std::string answer = peer.read_all();
  CHECK(has(answer, "all of it"));
  CHECK(has(answer, "0\r\n\r\n"));
  CHECK_FALSE(held->gone.is_set());
}

TEST_CASE("a stream is given up when its client has ended its side and it does not end soon") {
  const auto held = std::make_shared<Held>();
  TestServer server;
  server.mount("/slow", {}, [&](ExchangePtr exchange) { held->take(std::move(exchange)); });
  Peer peer(server.port);
  peer.send(request("GET /slow"));
  const ExchangePtr exchange = held->taken.get();
  REQUIRE(exchange);
  exchange->start({});
  exchange->write(Bytes(std::string("the first part")));
  peer.read_until("the first part");
  peer.half_close();
  CHECK(pass_until(server, [&] { return held->gone.is_set(); }));
  CHECK(peer.closed());
}
