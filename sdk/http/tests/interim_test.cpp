// SPDX-License-Identifier: Apache-2.0
// Heads that are no answer yet (1xx), and answers that are none of what was asked.
#include <gantry/http/websocket.hpp>

#include <Poco/Base64Encoder.h>
#include <Poco/SHA1Engine.h>
#include <catch2/catch.hpp>

#include <sstream>
#include <string>
#include <thread>

#include "scripted_server.hpp"

using namespace gantry;
using namespace gantry::http::test;

namespace {

const std::string kHints = "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n";
const std::string kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

std::string times(int count, const std::string& text) {
  std::string out;
  for (int i = 0; i < count; ++i) out += text;
  return out;
}

/// What proves that a server has read the key of a handshake (RFC 6455, 4.2.2).
std::string accept_of(const std::string& key) {
  Poco::SHA1Engine engine;
  engine.update(key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11");
  const auto digest = engine.digest();
  std::ostringstream out;
  Poco::Base64Encoder encoder(out);
  encoder.write(reinterpret_cast<const char*>(digest.data()),
                static_cast<std::streamsize>(digest.size()));
  encoder.close();
  return out.str();
}

/// Takes one handshake: `before` goes out first, then the acceptance and a close.
class WsServer {
 public:
  explicit WsServer(std::string before)
      : before_(std::move(before)), thread_([this] { serve(); }) {}
  ~WsServer() {
    listener_.stop();
    thread_.join();
  }
  [[nodiscard]] std::string url() const {
    return "ws://127.0.0.1:" + std::to_string(listener_.port()) + "/";
  }

 private:
  void serve() const {
    const int client = listener_.accept();
    if (client < 0) return;
    std::string head;
    char bytes[4096];
    while (!head.ends_with("\r\n\r\n")) {
      const auto count = ::recv(client, bytes, sizeof bytes, 0);
      if (count <= 0) break;
      head.append(bytes, static_cast<std::size_t>(count));
    }
    constexpr std::string_view kName = "Sec-WebSocket-Key: ";
    const std::size_t at = head.find(kName) + kName.size();
    const std::string key = head.substr(at, head.find('\r', at) - at);
    const std::string answer = before_ +
                               "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n"
                               "Connection: Upgrade\r\nSec-WebSocket-Accept: " +
                               accept_of(key) + "\r\n\r\n" + std::string("\x88\x00", 2);
    (void)::send(client, answer.data(), answer.size(), MSG_NOSIGNAL);
    while (::recv(client, bytes, sizeof bytes, 0) > 0) {
    }
    ::close(client);
  }

  testkit::LoopbackListener listener_;
  const std::string before_;
  std::thread thread_;
};

Error open_socket(const WsServer& server) {
  http::HttpOptions options;
  options.direct = true;
  http::WebSocket socket(options);
  return socket.run({server.url(), {}}, {});
}

}  // namespace

TEST_CASE("an interim head is not the answer, and the next request gets its own") {
  World world;
  const Server server({{kHints + plain("one"), kContinue + kHints + kContinue + plain("two"),
                        "HTTP/1.1 102 Processing\r\n\r\n" + plain("three"), plain("four")}});
  for (const char* answer : {"one", "two", "three", "four"}) {
    const auto got = world.ask(server);
    REQUIRE(got.ok());
    CHECK(*got == answer);
  }
  CHECK(server.connections() == 1);
}

TEST_CASE("interim heads without end are an error that takes its connection along") {
  World world;
  for (const std::string& head : {kHints, kContinue}) {
    INFO(head);
    const Server server({{times(1000, head) + plain("never")}, {plain("two")}});
    const auto answer = world.ask(server);
    REQUIRE_FALSE(answer.ok());
    CHECK(answer.error().code == Code::ResourceExhausted);
    CHECK(world.pool->sweep() == 0);
    CHECK(*world.ask(server) == "two");
    CHECK(server.connections() == 2);
    world.pool->clear();
  }
}

TEST_CASE("a head with a status that ends no exchange takes its connection along") {
  World world;
  for (const char* status : {"101 Switching Protocols", "099 No", "-12 No"}) {
    INFO(status);
    const Server server({{"HTTP/1.1 " + std::string(status) + "\r\n\r\n"}, {plain("two")}});
    const auto answer = world.ask(server);
    REQUIRE_FALSE(answer.ok());
    CHECK(answer.error().code == Code::Unavailable);
    CHECK(world.pool->sweep() == 0);
    CHECK(*world.ask(server) == "two");
    world.pool->clear();
  }
}

TEST_CASE("a request whose server had begun to answer does not go out once more") {
  World world;
  const Server server({{plain("one"), kHints}, {plain("never")}});
  CHECK(*world.ask(server) == "one");
  const auto answer = world.ask(server);
  REQUIRE_FALSE(answer.ok());
  CHECK(answer.error().code == Code::Unavailable);
  CHECK(server.requests() == 2);
}

TEST_CASE("the interim heads of one answer say nothing of the next request") {
  World world;
  const Server server({{kHints + plain("one")}, {plain("two")}}, Server::After::Resets);
  CHECK(*world.ask(server) == "one");
  http::HttpRequest large = server.request();
  large.body = std::string(32 << 20, 'x') + "\r\n\r\n{}";  // more than all buffers on the way
  http::HttpExchange exchange(world.options());
  const auto head = exchange.send(large);
  INFO((head.ok() ? std::string() : head.error().message));
  REQUIRE(head.ok());
  CHECK(*exchange.read_all(1024) == "two");
  CHECK(server.connections() == 2);
}

TEST_CASE("a WebSocket opens behind interim heads, and not behind endless ones") {
  const WsServer hinting(kHints + kContinue + kHints);
  const Error end = open_socket(hinting);
  INFO(end.message);
  CHECK(end.code == Code::Ok);
  for (const std::string& head : {kHints, kContinue}) {
    const WsServer endless(times(1000, head));
    CHECK(open_socket(endless).code == Code::Unavailable);
  }
}
