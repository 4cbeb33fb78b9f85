// SPDX-License-Identifier: Apache-2.0
// Clients that do not read what they are sent, and all others beside them.
#include <catch2/catch.hpp>

#include "fixture.hpp"
#include "peer.hpp"

using namespace gantry::transport;
using namespace gantry::transport::test;

namespace {

const std::string kLarge(std::size_t{32} << 20U, 'x');  // no socket takes it

/// A server whose peers may leave 100,000 bytes unread together, and a WebSocket that takes nothing
/// of `kLarge`.
class Hoarded {
 public:
  explicit Hoarded(std::shared_ptr<EchoSink> sink = std::make_shared<EchoSink>())
      : sink_(std::move(sink)), server_({}, few()), hoarder_(mounted()) {
    hoarder_.send(handshake("/hoard"));
    hoarder_.read_until("\r\n\r\n");
    REQUIRE(socket_.get());
    REQUIRE(socket_.get()->send(false, Bytes(kLarge)) == SendResult::kQueued);
  }

  TestServer& server() { return server_; }
  Peer& hoarder() { return hoarder_; }

 private:
  static ServerOptions few() {
    ServerOptions options;
    options.leaving_bytes = 100'000;
    return options;
  }
  uint16_t mounted() {
    server_.mount_ws("/hoard", [this](const WsSocketPtr& opened) {
      opened->accept({.subprotocol = {}, .headers = {}, .sink = sink_});
      socket_.set(opened);
    });
    return server_.port;
  }

  std::shared_ptr<EchoSink> sink_;
  Promised<WsSocketPtr> socket_;
  TestServer server_;
  Peer hoarder_;
};

}  // namespace

TEST_CASE("an answer that would be unread beside too many others is cut, a small one comes") {
  Hoarded hoarded;
  TestServer& server = hoarded.server();
  server.mount("/large", {},
               [](const ExchangePtr& exchange) { exchange->respond(text_response(kLarge)); });
  server.mount("/parts", {}, [](const ExchangePtr& exchange) {
    exchange->set_bound(SendBound::kSender);
    exchange->start({}, -1);
    for (int i = 0; i < 3; ++i) exchange->write(Bytes(kLarge));
    exchange->finish();
  });
  server.mount("/small", {}, echo);
  for (const char* path : {"GET /large", "GET /parts"}) {
    Peer slow(server.port);
    slow.send(request(path));
    CHECK(slow.read_all().size() < kLarge.size());
    CHECK(slow.closed());
  }
  CHECK(server.server->counters().slow_consumers == 2);
  Peer small(server.port);
  small.send(request("GET /small"));
  CHECK(has(small.read_response(), "200 OK"));
  CHECK(read_frame(hoarded.hoarder()).payload.size() == kLarge.size());
}

TEST_CASE("a WebSocket that would be unread beside too many others ends, and its sink hears why") {
  Promised<std::string> closed;
  Promised<WsSocketPtr> socket;
  Hoarded hoarded;
  hoarded.server().mount_ws("/ws", [&](const WsSocketPtr& opened) {
    opened->accept({.subprotocol = {}, .headers = {}, .sink = std::make_shared<EchoSink>(&closed)});
    socket.set(opened);
  });
  Peer peer(hoarded.server().port);
  peer.send(handshake("/ws"));
  peer.read_until("\r\n\r\n");
  const bool held = GENERATE(false, true);
  if (held) {
    socket.get()->hold(false, Bytes(kLarge));
    socket.get()->release();
  } else {
    CHECK(socket.get()->send(false, Bytes(kLarge)) == SendResult::kDropped);
  }
  CHECK(closed.get() == "1013 slow consumer: too much is unread by all clients us");
  CHECK(peer.read_all().size() < kLarge.size());
  CHECK(read_frame(hoarded.hoarder()).payload.size() == kLarge.size());
}

TEST_CASE("a WebSocket whose pong was one answer too many ends, although nothing is sent to it") {
  ListenerOptions options;
  options.limits.send_queue_bytes = 4 * kLarge.size();
  ServerOptions few;
  few.leaving_bytes = 2 * kLarge.size() + 10'000;
  Promised<std::string> closed;
  Promised<WsSocketPtr> larger;
  Promised<WsSocketPtr> other;
  TestServer server(options, few);
  server.mount_ws("/larger", [&](const WsSocketPtr& opened) {
    opened->accept({.subprotocol = {}, .headers = {}, .sink = std::make_shared<EchoSink>(&closed)});
    larger.set(opened);
  });
  server.mount_ws("/other", [&](const WsSocketPtr& opened) {
    opened->accept({.subprotocol = {}, .headers = {}, .sink = std::make_shared<EchoSink>()});
    other.set(opened);
  });
  Peer pings(server.port);
  pings.send(handshake("/larger"));
  pings.read_until("\r\n\r\n");
  Peer silent(server.port);
  silent.send(handshake("/other"));
  silent.read_until("\r\n\r\n");
  REQUIRE(larger.get()->send(false, Bytes(kLarge + kLarge)) == SendResult::kQueued);
  REQUIRE(other.get()->send(false, Bytes(kLarge)) == SendResult::kQueued);
  const std::string ping = client_frame(0x89, "ping");
  pings.send(ping);
  REQUIRE(
      server.taken(2, handshake("/larger").size() + handshake("/other").size() + ping.size(), 2));
  server.pass(options.limits.ws_ping_interval_ms);
  CHECK(closed.get() == "1006 slow consumer: nothing was read us");
}

TEST_CASE("who takes nothing for a while gives way to who reads") {
  Promised<std::string> closed;
  Hoarded hoarded(std::make_shared<EchoSink>(&closed));
  TestServer& server = hoarded.server();
  server.mount("/large", {},
               [](const ExchangePtr& exchange) { exchange->respond(text_response(kLarge)); });
  server.clock->advance(1500);
  Peer reader(server.port);
  reader.send(request("GET /large"));
  CHECK(has(reader.read_response(), kLarge));
  CHECK(closed.get().starts_with("1006 "));
  CHECK(hoarded.hoarder().read_all().size() < kLarge.size());
  CHECK(server.server->counters().slow_consumers == 1);
}
