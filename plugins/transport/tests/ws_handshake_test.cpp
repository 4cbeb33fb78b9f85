// SPDX-License-Identifier: Apache-2.0
// Who may open a WebSocket, and what the handler makes of it.
#include <catch2/catch.hpp>

#include "fixture.hpp"
#include "peer.hpp"

using namespace gantry::transport;
using namespace gantry::transport::test;

TEST_CASE("bad handshakes") {
  TestServer server;
  server.mount_ws("/ws", [](WsSocketPtr socket) { EchoSink::open(std::move(socket)); });
  const std::string good = handshake();
  const auto status = [&](std::string text) {
    Peer peer(server.port);
    peer.send(text);
    return peer.read_until("\r\n\r\n");
  };
  const auto without = [&](const std::string& line) {
    std::string text = good;
    text.erase(text.find(line), line.size());
    return text;
  };
  const auto replaced = [&](const std::string& line, const std::string& by) {
    std::string text = good;
    text.replace(text.find(line), line.size(), by);
    return text;
  };
  CHECK(has(status(replaced(": 13", ": 8")), "426 Upgrade Required"));
  CHECK(has(status(replaced(": 13", ": 8")), "Sec-WebSocket-Version: 13"));
  CHECK(has(status(without("Sec-WebSocket-Version: 13\r\n")), "426"));
  CHECK(has(status(without("Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n")), "400"));
  CHECK(has(status(replaced("dGhlIHNhbXBsZSBub25jZQ==", "c2hvcnQ=")), "400"));
  CHECK(has(status(replaced("GET", "POST")), "405"));
  CHECK(has(status(without("Upgrade: websocket\r\n")), "426"));
  CHECK(has(status(without("Connection: Upgrade\r\n")), "426"));
  CHECK(has(status(replaced("1.1\r\n", "1.0\r\n")), "426"));
  CHECK(has(status(handshake("/none")), "404"));
  CHECK(has(status(handshake("/ws", "Origin: https://evil.example\r\n")), "403"));
  CHECK(has(status(handshake("/ws", "Origin: null\r\n")), "403"));
  CHECK(has(status(handshake("/ws", "Origin: http://localhost:1\r\n")), "101"));
  CHECK(has(status(replaced("localhost", "evil.example")), "403"));
  CHECK(has(status(handshake("/ws", "Content-Length: 1\r\n")), "400"));
  CHECK(has(status(handshake("/ws", "Sec-WebSocket-Protocol: a,,b\r\n")), "400"));
  CHECK(has(status(handshake("/ws", "Sec-WebSocket-Protocol: a, a\r\n")), "400"));
}

TEST_CASE("the handler chooses a subprotocol, refuses, or lets go") {
  TestServer server;
  server.mount_ws("/chosen", [](const WsSocketPtr& socket) {
    CHECK(socket->offered_subprotocols() == std::vector<std::string>{"a", "b"});
    socket->accept({.subprotocol = "b", .headers = {{"X-More", "1"}}, .sink = nullptr});
  });
  server.mount_ws("/invented", [](const WsSocketPtr& socket) {
    socket->accept({.subprotocol = "zz", .headers = {}, .sink = nullptr});
  });
  server.mount_ws("/refused", [](const WsSocketPtr& socket) {
    socket->refuse(error_response(401, "who are you"));
  });
  server.mount_ws("/dropped", [](const WsSocketPtr&) {});
  const auto answer = [&](const char* path) {
    Peer peer(server.port);
    peer.send(handshake(path, "Sec-WebSocket-Protocol: a\r\nSec-WebSocket-Protocol: b\r\n"));
    return peer.read_until("\r\n\r\n");
  };
  CHECK(has(answer("/chosen"), "Sec-WebSocket-Protocol: b\r\n"));
  CHECK(has(answer("/chosen"), "X-More: 1\r\n"));
  CHECK_FALSE(has(answer("/invented"), "Sec-WebSocket-Protocol"));
  CHECK(has(answer("/refused"), "401"));
  CHECK(has(answer("/dropped"), "503"));
}
