// SPDX-License-Identifier: Apache-2.0
//
// The test clients against canned bytes.
#include <Poco/Net/ServerSocket.h>
#include <Poco/Net/SocketAddress.h>
#include <Poco/Net/StreamSocket.h>
#include <Poco/Timespan.h>
#include <catch2/catch.hpp>
#include <gantry/testkit/net_client.hpp>

#include <array>
#include <future>
#include <stdexcept>

namespace gantry::testkit {
namespace {

/// Accepts one connection, reads up to `until`, answers `reply`, reads to the end. received() has
/// all that came.
class CannedServer {
 public:
  CannedServer(std::string until, std::string reply)
      : socket_(Poco::Net::SocketAddress("127.0.0.1", 0)),
        received_(std::async(std::launch::async,
                             [this, until = std::move(until), reply = std::move(reply)] {
                               return serve(until, reply);
                             })) {}
  std::uint16_t port() { return socket_.address().port(); }
  std::string received() { return received_.get(); }

 private:
  std::string serve(const std::string& until, const std::string& reply) {
    Poco::Net::StreamSocket peer = socket_.acceptConnection();
    peer.setReceiveTimeout(Poco::Timespan(5, 0));
    std::string seen;
    std::array<char, 4096> bytes{};
    bool answered = false;
    while (true) {
      if (!answered && seen.find(until) != std::string::npos) {
        answered = true;
        peer.sendBytes(reply.data(), static_cast<int>(reply.size()));
        peer.shutdownSend();
      }
      const int count = peer.receiveBytes(bytes.data(), static_cast<int>(bytes.size()));
      if (count <= 0) return seen;
      seen.append(bytes.data(), static_cast<std::size_t>(count));
    }
  }
  Poco::Net::ServerSocket socket_;
  std::future<std::string> received_;
};

TEST_CASE("HTTP replies of every framing") {
  struct Row {
    std::string reply;
    int status;
    std::string body;
  };
  const Row rows[] = {
      {"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX-A:  b \r\n\r\nhello", 200, "hello"},
      {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n", 200,
       "abcde"},
      {"HTTP/1.1 404 Not Found\r\n\r\nto the end", 404, "to the end"},
      {"HTTP/1.1 204 No Content\r\n\r\n", 204, ""},
      {"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n", 201, ""},
  };
  for (const Row& row : rows) {
    CAPTURE(row.reply);
    CannedServer server("\r\n\r\n", row.reply);
    {
      HttpClient client("127.0.0.1", server.port());
      const HttpReply reply = client.get("/x");
      CHECK(reply.status == row.status);
      CHECK(reply.body == row.body);
      if (row.body == "hello") CHECK(reply.header("x-a") == "b");
    }
    CHECK_THAT(server.received(), Catch::StartsWith("GET /x HTTP/1.1\r\nHost: 127.0.0.1:"));
  }
}

TEST_CASE("HTTP requests carry their body") {
  CannedServer server("{}", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
  {
    HttpClient client("127.0.0.1", server.port());
    CHECK(client.post_json("/y", "{}").status == 200);
  }
  const std::string seen = server.received();
  CHECK_THAT(seen, Catch::Contains("Content-Type: application/json\r\n"));
  CHECK_THAT(seen, Catch::EndsWith("Content-Length: 2\r\n\r\n{}"));
}

TEST_CASE("a server that says nothing fails the test in time") {
  CannedServer server("never sent", "");
  HttpClient client("127.0.0.1", server.port(), std::chrono::milliseconds(50));
  CHECK_THROWS_WITH(client.get("/"), Catch::Contains("time limit"));
}

// Sec-WebSocket-Accept of the key in RFC 6455 section 1.3.
const std::string kSwitching =
    "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n";

TEST_CASE("WebSocket frames both ways") {
  using namespace std::string_literals;
  const std::string long_text(300, 'x');
  CannedServer server("\r\n\r\n", kSwitching + "\x01\x02he"s + "\x89\x01p"s + "\x80\x03llo"s +
                                      "\x81\x7e\x01\x2c"s + long_text + "\x88\x04\x0f\xa1no"s);
  {
    WebSocketClient client("127.0.0.1", server.port(), "/ws");
    REQUIRE(client.open());
    client.send_text("Hello");
    CHECK(client.receive_message() == "hello");
    CHECK(client.receive_message() == long_text);
    const WsFrame last = client.receive();
    CHECK(last.opcode == WsOpcodeRaw::Close);
    CHECK(last.close_code() == 4001);
    CHECK(last.close_reason() == "no");
    CHECK(client.receive().close_code() == 1006);
  }
  const std::string seen = server.received();
  // The masked "Hello" and the masked pong.
  CHECK_THAT(seen, Catch::Contains("\x81\x85\x12\x34\x56\x78ZQ:\x14}"s));
  CHECK_THAT(seen, Catch::Contains("\x8a\x81\x12\x34\x56\x78\x62"s));
}

TEST_CASE("a refused handshake can be looked at, a wrong one cannot pass") {
  {
    CannedServer server("\r\n\r\n", "HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno");
    const WebSocketClient client("127.0.0.1", server.port(), "/ws");
    CHECK_FALSE(client.open());
    CHECK(client.reply().body == "no");
  }
  CannedServer server("\r\n\r\n",
                      "HTTP/1.1 101 Switching Protocols\r\nSec-WebSocket-Accept: x\r\n\r\n");
  const auto port = server.port();
  CHECK_THROWS_AS(WebSocketClient("127.0.0.1", port, "/ws"), std::runtime_error);
}

}  // namespace
}  // namespace gantry::testkit
