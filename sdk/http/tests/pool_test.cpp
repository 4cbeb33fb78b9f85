// SPDX-License-Identifier: Apache-2.0
// Connections that are used again, against a server of the test's own.
#include <catch2/catch.hpp>

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "scripted_server.hpp"

using namespace gantry;
using namespace gantry::http::test;

TEST_CASE("the next request to a place takes the connection of the last") {
  World world;
  const Server server({{plain("one"), plain("two"), kChunked, plain("four")}});
  CHECK(*world.ask(server) == "one");
  CHECK(world.pool->sweep() == 1);
  CHECK(*world.ask(server) == "two");
  CHECK(*world.ask(server) == "[DONE]\n");
  CHECK(*world.ask(server) == "four");
  CHECK(server.connections() == 1);
}

TEST_CASE("an answer whose end its text tells leaves its connection when the rest is there") {
  World world;
  const Server server({{kChunked, plain("two")}});
  {
    http::HttpExchange exchange(world.options());
    REQUIRE(exchange.send(server.request()).ok());
    char bytes[12];  // of the connection: the chunk with its size, and not the one that ends it
    REQUIRE(*exchange.read(bytes, sizeof bytes) == 7);
    CHECK(world.pool->sweep() == 0);
    exchange.keep();
  }
  CHECK(world.pool->sweep() == 1);
  CHECK(*world.ask(server) == "two");
  CHECK(server.connections() == 1);
}

TEST_CASE("an answer of which all was read leaves its connection before its end is asked for") {
  World world;
  const Server server({{kChunked, kChunked}});
  http::HttpExchange exchange(world.options());
  REQUIRE(exchange.send(server.request()).ok());
  char bytes[64];
  REQUIRE(*exchange.read(bytes, 12) == 7);
  exchange.keep_if_read();  // the chunk that ends it is still to come
  CHECK(world.pool->sweep() == 0);
  CHECK(*exchange.read(bytes, sizeof bytes) == 0);
  CHECK(world.pool->sweep() == 1);

  http::HttpExchange next(world.options());
  REQUIRE(next.send(server.request()).ok());
  REQUIRE(*next.read(bytes, sizeof bytes) == 7);
  next.keep_if_read();
  CHECK(world.pool->sweep() == 1);
  CHECK(*next.read(bytes, sizeof bytes) == 0);
  CHECK(server.connections() == 1);
}

TEST_CASE("a header with a line break does not go out") {
  World world;
  const Server server({{plain("one")}});
  for (const char* value : {"key\r\nHost: elsewhere", "key\n", "\rkey"}) {
    http::HttpRequest request = server.request();
    request.headers.emplace_back("Authorization", value);
    http::HttpExchange exchange(world.options());
    const auto answer = exchange.send(request);
    REQUIRE_FALSE(answer.ok());
    CHECK(answer.error().code == Code::InvalidArgument);
    CHECK(answer.error().message.find("Authorization") != std::string::npos);
    CHECK(answer.error().message.find("key") == std::string::npos);
  }
  http::HttpRequest request = server.request();
  request.headers.emplace_back("X\r\nHost", "elsewhere");
  http::HttpExchange exchange(world.options());
  CHECK(exchange.send(request).error().code == Code::InvalidArgument);
  CHECK(server.connections() == 0);
}

TEST_CASE("a connection that must not be used again is not") {
  World world;
  SECTION("the server says so") {
    const Server server({{plain("one", "Connection: close\r\n")}, {plain("two")}});
    CHECK(*world.ask(server) == "one");
    CHECK(world.pool->sweep() == 0);
    CHECK(*world.ask(server) == "two");
  }
  SECTION("it has been idle for too long") {
    const Server server({{plain("one"), plain("never")}, {plain("two")}});
    CHECK(*world.ask(server) == "one");
    world.now = std::chrono::nanoseconds(30s).count();
    CHECK(*world.ask(server) == "two");
    CHECK(server.connections() == 2);
  }
  SECTION("the machine slept meanwhile") {
    const Server server({{plain("one"), plain("never")}, {plain("two")}});
    CHECK(*world.ask(server) == "one");
    world.asleep = std::chrono::nanoseconds(30s).count();
    CHECK(*world.ask(server) == "two");
    CHECK(server.connections() == 2);
  }
  SECTION("the rest of its answer drips") {
    // 6 s in all, of which keep() spends a quarter of a second.
    const Server server(
        {{"HTTP/1.1 200 OK\r\nContent-Length: 300\r\n\r\n[DONE]\n"}, {plain("two")}},
        Server::After::Drips);
    {
      http::HttpExchange exchange(world.options());
      REQUIRE(exchange.send(server.request()).ok());
      char bytes[7];
      REQUIRE(*exchange.read(bytes, sizeof bytes) == sizeof bytes);
      exchange.keep();
    }
    CHECK(world.pool->sweep() == 0);
  }
  SECTION("its answer was not read to the end") {
    const Server server({{plain("one"), plain("never")}, {plain("two")}});
    {
      http::HttpExchange exchange(world.options());
      REQUIRE(exchange.send(server.request()).ok());
    }
    CHECK(world.pool->sweep() == 0);
    CHECK(*world.ask(server) == "two");
  }
  SECTION("bytes came that nobody had asked for") {
    const Server server({{plain("one") + "HTTP/1.1 500 No\r\n\r\n"}, {plain("two")}});
    CHECK(*world.ask(server) == "one");
    CHECK(*world.ask(server) == "two");
  }
}

TEST_CASE("a trailer without end is an error, not a way to keep somebody reading") {
  World world;
  std::string flood = kChunked.substr(0, kChunked.size() - 2);
  for (int i = 0; i < 300; ++i) flood += "X-More: 1\r\n";
  Server server({{flood}});
  const auto answer = world.ask(server);
  REQUIRE_FALSE(answer.ok());
  CHECK(answer.error().code == Code::ResourceExhausted);
}

TEST_CASE("half an answer is not told for a whole one") {
  World world;
  for (const std::string answer : {"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf",
                                   "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                                   "4\r\nhalf\r\n"}) {
    INFO(answer);
    const Server server({{answer}});
    const auto body = world.ask(server);
    REQUIRE_FALSE(body.ok());
    CHECK(body.error().code == Code::DataLoss);
  }
  const Server open({{"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nwhole"}});
  CHECK(*world.ask(open) == "whole");
}

TEST_CASE("a request whose kept connection was closed goes out once more, and only then") {
  World world;
  SECTION("without a byte of an answer") {
    const Server server({{plain("one"), kNothing}, {plain("two")}});
    CHECK(*world.ask(server) == "one");
    CHECK(*world.ask(server) == "two");
    CHECK(server.connections() == 2);
    CHECK(server.requests() == 3);
  }
  SECTION("a new connection that is closed is a failure") {
    const Server server({{kNothing}, {plain("never")}});
    const auto answer = world.ask(server);
    REQUIRE_FALSE(answer.ok());
    CHECK(answer.error().code == Code::Unavailable);
    CHECK(server.requests() == 1);
  }
  SECTION("an answer that has begun is not asked for again") {
    const Server server(
        {{plain("one"), "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhal"}, {plain("never")}});
    CHECK(*world.ask(server) == "one");
    const auto answer = world.ask(server);
    CHECK(server.requests() == 2);
    CHECK((!answer.ok() || *answer == "hal"));
  }
}

TEST_CASE("a request that a kept connection does not take goes out once more") {
  World world;
  // The answer of the first request is all that this connection does: nothing more is read.
  const Server server({{plain("one")}, {plain("two")}}, Server::After::Stalls);
  CHECK(*world.ask(server) == "one");
  http::HttpOptions options = world.options();
  options.unconfirmed = 200ms;
  http::HttpExchange exchange(options);
  http::HttpRequest request = server.request();
  request.body = std::string(16U << 20U, ' ') + "\r\n\r\n{}";  // more than the buffers between hold
  const auto head = exchange.send(request);
  INFO((head.ok() ? "" : head.error().message));
  REQUIRE(head.ok());
  CHECK(*exchange.read_all(1024) == "two");
  CHECK(server.connections() == 2);
}

TEST_CASE("an abort ends a request on a kept connection") {
  World world;
  // The first answer is all that this connection does: the second is waited for.
  auto server = std::make_unique<Server>(Server::Script{{plain("one")}}, Server::After::Stalls);
  CHECK(*world.ask(*server) == "one");
  http::HttpExchange exchange(world.options());
  auto head = std::async(std::launch::async, [&] { return exchange.send(server->request()); });
  while (exchange.phase() != http::HttpPhase::FirstByte) std::this_thread::yield();
  exchange.abort();
  const bool ended = head.wait_for(10s) == std::future_status::ready;
  CHECK(ended);
  if (!ended) server.reset();  // so that nobody waits for ever
  CHECK(head.get().error().code == Code::Cancelled);
}

TEST_CASE("an abort does not reach a connection that was given back") {
  World world;
  const Server server({{plain("one"), plain("two")}, {plain("three")}});
  http::HttpExchange first(world.options());
  REQUIRE(first.send(server.request()).ok());
  CHECK(*first.read_all(1024) == "one");
  first.abort();
  const auto second = world.ask(server);
  REQUIRE(second.ok());
  CHECK(*second == "two");
  CHECK(server.connections() == 1);
}

TEST_CASE("only so many are kept, and none after the end") {
  World world;
  const Server one({{plain("1")}});
  CHECK(*world.ask(one) == "1");
  std::vector<std::unique_ptr<Server>> servers;
  for (int i = 0; i < 3; ++i) {
    servers.push_back(std::make_unique<Server>(Server::Script{{plain("x"), plain("y")}}));
    CHECK(*world.ask(*servers.back()) == "x");
  }
  CHECK(world.pool->sweep() == 2);
  world.pool->clear();
  CHECK(world.pool->sweep() == 0);
}

TEST_CASE("a connection that is refused says once what kind of error that is") {
  const int nobody = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);  // bound, not listening
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  auto* plain_address = reinterpret_cast<sockaddr*>(&address);
  socklen_t size = sizeof address;
  REQUIRE(::bind(nobody, plain_address, size) == 0);
  REQUIRE(::getsockname(nobody, plain_address, &size) == 0);
  const std::string place = "127.0.0.1:" + std::to_string(ntohs(address.sin_port));
  http::HttpExchange exchange({});
  const auto head = exchange.send({"GET", "http://" + place + "/", {}, {}});
  ::close(nobody);
  REQUIRE_FALSE(head.ok());
  CHECK(head.error().message == "no answer from " + place +
                                    ": I/O error: Connection refused (cure: check the address, "
                                    "the network and whether the server runs)");
}
