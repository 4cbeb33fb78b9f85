// SPDX-License-Identifier: Apache-2.0
#include <zlib.h>
#include <catch2/catch.hpp>

#include <thread>

#include "fixture.hpp"
#include "peer.hpp"
#include "response_head.hpp"

using namespace gantry::transport;
using namespace gantry::transport::test;

namespace {

std::string request(const std::string& line, const std::string& fields = {},
                    const std::string& body = {}) {
  return line + " HTTP/1.1\r\nHost: localhost\r\n" + fields + "\r\n" + body;
}

std::string post(const std::string& path, const std::string& body, const std::string& more = {}) {
  return request("POST " + path, "Content-Length: " + std::to_string(body.size()) + "\r\n" + more,
                 body);
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

std::string gunzip(std::string_view packed) {
  z_stream stream{};
  inflateInit2(&stream, 15 + 16);
  std::string out(1 << 20, '\0');
  stream.next_in = reinterpret_cast<unsigned char*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = reinterpret_cast<unsigned char*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  inflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  inflateEnd(&stream);
  return out;
}

}  // namespace

TEST_CASE("keep-alive and pipelining: answers in order, also when a later one is ready first") {
  Promised<ExchangePtr> held;
  TestServer server;
  server.mount("/slow", {"GET"}, [&](ExchangePtr exchange) { held.set(std::move(exchange)); });
  server.mount("/*", {}, echo);
  Peer peer(server.port);
  peer.send(request("GET /slow") + request("GET /b") + post("/c", "body") + request("GET /d"));
  const auto exchange = held.get();
  REQUIRE(exchange);
  CHECK(peer.silent(20));
  std::thread([&] { exchange->respond(text_response("slow")); }).join();
  CHECK(has(peer.read_response(), "\r\n\r\nslow"));
  CHECK(has(peer.read_response(), "\r\n\r\nGET /b "));
  CHECK(has(peer.read_response(), "\r\n\r\nPOST /c body"));
  CHECK(has(peer.read_response(), "\r\n\r\nGET /d "));
  CHECK_FALSE(exchange->respond(text_response("twice")));
}

TEST_CASE("HEAD has the head of GET, OPTIONS says what there is") {
  TestServer server;
  server.mount("/x", {"GET", "POST"}, echo);
  Peer peer(server.port);
  peer.send(request("HEAD /x") + request("OPTIONS /x") + request("OPTIONS *") + request("PUT /x") +
            request("GET /y"));
  const std::string head = peer.read_response(true);
  CHECK(has(head, "200 OK"));
  CHECK(has(head, "Content-Length: 8"));
  const std::string options = peer.read_response(true);
  CHECK(has(options, "200 OK"));
  CHECK(has(options, "Allow: GET, HEAD, OPTIONS, POST"));
  CHECK(has(peer.read_response(true), "200 OK"));
  const std::string no_put = peer.read_response();
  CHECK(has(no_put, "405 Method Not Allowed"));
  CHECK(has(no_put, "Allow: GET, HEAD, OPTIONS, POST"));
  CHECK(has(no_put, "{\"error\":\"PUT is not served at /x"));
  CHECK(has(peer.read_response(), "404 Not Found"));
}

TEST_CASE("chunked bodies come in whole") {
  TestServer server;
  server.mount("/c", {"POST"}, echo);
  Peer peer(server.port);
  peer.send(request("POST /c", "Transfer-Encoding: chunked\r\n", "3\r\nabc\r\n2;x=y\r\nde\r\n"));
  peer.send("0\r\nT: u\r\n\r\n" +
            request("POST /c", "Transfer-Encoding: chunked\r\n", "0\r\n\r\n"));
  CHECK(has(peer.read_response(), "POST /c abcde"));
  CHECK(has(peer.read_response(), "\r\n\r\nPOST /c "));
  peer.send(request("POST /c", "Transfer-Encoding: chunked\r\n", "zz\r\n"));
  CHECK(has(peer.read_response(), "400 Bad Request"));
  CHECK(peer.closed());
}

TEST_CASE("100-continue") {
  TestServer server;
  server.mount("/c", {"POST"}, echo);
  Peer peer(server.port);
  peer.send(request("POST /c", "Content-Length: 4\r\nExpect: 100-continue\r\n"));
  CHECK(peer.read_until("\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n");
  peer.send("body");
  CHECK(has(peer.read_response(), "POST /c body"));
  // Refused before the body: no 100, and the connection ends, since the body may or may not come.
  peer.send(request("POST /none", "Content-Length: 4\r\nExpect: 100-continue\r\n"));
  const std::string refused = peer.read_response();
  CHECK(has(refused, "404 Not Found"));
  CHECK(has(refused, "Connection: close"));
  CHECK(peer.closed());
}

TEST_CASE("a body that nobody read cannot smuggle a request") {
  std::atomic<int> calls{0};
  TestServer server;
  server.mount("/secret", {}, [&](const ExchangePtr& exchange) {
    ++calls;
    echo(exchange);
  });
  const std::string hidden = request("GET /secret");
  SECTION("a short one is drained") {
    Peer peer(server.port);
    peer.send(post("/none", hidden) + request("GET /also-none"));
    CHECK(has(peer.read_response(), "404 Not Found"));
    CHECK(has(peer.read_response(), "404 Not Found"));
  }
  SECTION("a long one ends the connection") {
    Peer peer(server.port);
    peer.send(request("POST /none", "Content-Length: 100000\r\n", hidden));
    CHECK(has(peer.read_response(), "Connection: close"));
    CHECK(peer.closed());
  }
  SECTION("a chunked one is drained") {
    Peer peer(server.port);
    peer.send(request("POST /none", "Transfer-Encoding: chunked\r\n", "3\r\nabc\r\n0\r\n\r\n") +
              request("GET /also-none"));
    CHECK(has(peer.read_response(), "404 Not Found"));
    CHECK(has(peer.read_response(), "404 Not Found"));
  }
  CHECK(calls == 0);
}

TEST_CASE("body limits, raised by a mount") {
  ListenerOptions options;
  options.limits.body_bytes = 100;
  TestServer server(options);
  server.mount("/small", {"POST"}, echo);
  auto mount = std::make_shared<Mount>();
  mount->owner = "test";
  mount->listener = "main";
  mount->path = "/large";
  mount->body_bytes = 1000;
  auto handler = std::make_shared<LambdaHandler>();
  handler->request = echo;
  mount->handler = handler;
  REQUIRE_FALSE(server.server->mount(mount));
  const std::string body(200, 'x');
  Peer large(server.port);
  large.send(post("/large", body));
  CHECK(has(large.read_response(), body));
  Peer small(server.port);
  small.send(post("/small", body));
  CHECK(has(small.read_response(), "413 Content Too Large"));
  CHECK(small.closed());
  Peer chunked(server.port);
  chunked.send(request("POST /small", "Transfer-Encoding: chunked\r\n", "C8\r\n"));
  CHECK(has(chunked.read_response(), "413 Content Too Large"));
}

TEST_CASE("deadlines: idle, head, body") {
  TestServer server;
  server.mount("/c", {"POST"}, echo);
  SECTION("a head that does not end") {
    Peer peer(server.port);
    peer.send("GET / HT");
    REQUIRE(server.taken(1, 8));
    server.pass(9'000);
    CHECK(peer.silent(20));
    peer.send("T");
    CHECK(peer.silent(20));
    server.pass(1'100);
    CHECK(has(peer.read_response(), "408 Request Timeout"));
    CHECK(peer.closed());
  }
  SECTION("a connection that never says anything") {
    Peer peer(server.port);
    REQUIRE(server.taken(1, 0));
    server.pass(10'100);
    CHECK(peer.closed());
  }
  SECTION("an idle kept-alive connection") {
    Peer peer(server.port);
    peer.send(request("GET /none"));
    peer.read_response();
    server.pass(70'000);
    CHECK(peer.silent(20));
    server.pass(6'000);
    CHECK(peer.closed());
  }
  SECTION("a body at a byte a second") {
    Peer peer(server.port);
    const std::string head = request("POST /c", "Content-Length: 100\r\n");
    peer.send(head);
    REQUIRE(server.taken(1, head.size()));
    for (int i = 0; i < 29; ++i) {
      peer.send("x");
      server.pass(1'000);
    }
    CHECK(peer.silent(50));
    server.pass(2'000);
    CHECK(has(peer.read_response(), "408 Request Timeout"));
  }
}

TEST_CASE("streamed answers") {
  Promised<ExchangePtr> held;
  TestServer server;
  server.mount("/events", {"GET"}, [&](ExchangePtr exchange) {
    exchange->start({.status = 200, .headers = {}, .content_type = "text/event-stream"});
    held.set(std::move(exchange));
  });
  SECTION("chunks as they come") {
    Peer peer(server.port);
    peer.send(request("GET /events") + request("GET /none"));
    const auto exchange = held.get();
    CHECK(has(peer.read_until("\r\n\r\n"), "Transfer-Encoding: chunked"));
    CHECK(exchange->write(Bytes::copy("data: 1\n\n")) == SendResult::kQueued);
    CHECK(peer.read_bytes(14) == "9\r\ndata: 1\n\n\r\n");
    exchange->write(Bytes(std::string(20'000, 'x')));
    CHECK(peer.read_bytes(20'008).substr(0, 6) == "4e20\r\n");
    exchange->finish();
    CHECK(peer.read_until("\r\n\r\n") == "0\r\n\r\n");
    CHECK(has(peer.read_response(), "404 Not Found"));
    CHECK(exchange->write(Bytes::copy("late")) == SendResult::kDropped);
  }
  SECTION("HTTP/1.0 reads until the end") {
    Peer peer(server.port);
    peer.send("GET /events HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    const auto exchange = held.get();
    exchange->write(Bytes::copy("data"));
    exchange->finish();
    const std::string all = peer.read_all();
    CHECK_FALSE(has(all, "chunked"));
    CHECK(has(all, "Connection: close"));
    CHECK(has(all, "\r\n\r\ndata"));
  }
  SECTION("dropping an unfinished stream cuts the connection") {
    Peer peer(server.port);
    peer.send(request("GET /events"));
    held.get()->write(Bytes::copy("data"));
    held.set(nullptr);
    const std::string all = peer.read_all();
    CHECK(has(all, "data"));
    CHECK_FALSE(has(all, "\r\n0\r\n"));
  }
}

struct Sink final : ExchangeSink {
  Promised<bool> gone;
  void on_gone() override { gone.set(true); }
};

TEST_CASE("an answer that nobody can get any more is given up") {
  const auto sink = std::make_shared<Sink>();
  Promised<ExchangePtr> held;
  TestServer server;
  server.mount("/slow", {"GET"}, [&](ExchangePtr exchange) {
    exchange->set_sink(sink);
    held.set(std::move(exchange));
  });
  Peer peer(server.port);
  peer.send(request("GET /slow"));
  const ExchangePtr exchange = held.get();
  peer.reset();
  CHECK(sink->gone.get());
}

TEST_CASE("a stream hears that its reader has gone") {
  const auto sink = std::make_shared<Sink>();
  Promised<ExchangePtr> held;
  TestServer server;
  server.mount("/events", {"GET"}, [&](ExchangePtr exchange) {
    exchange->set_sink(sink);
    exchange->start({});
    held.set(std::move(exchange));
  });
  Peer peer(server.port);
  peer.send(request("GET /events"));
  peer.read_until("\r\n\r\n");
  peer.close();
  CHECK(sink->gone.get());
  CHECK(held.get()->write(Bytes::copy("x")) == SendResult::kDropped);
}

TEST_CASE("a stream whose reader does not read is cut at the limit") {
  ListenerOptions options;
  options.limits.send_queue_bytes = 256 * 1024;
  Promised<ExchangePtr> held;
  TestServer server(options);
  server.mount("/events", {"GET"}, [&](ExchangePtr exchange) {
    exchange->start({});
    held.set(std::move(exchange));
  });
  Peer peer(server.port);
  peer.send(request("GET /events"));
  const auto exchange = held.get();
  const Bytes chunk(std::string(64 * 1024, 'x'));
  size_t written = 0;
  while (written < (64u << 20) && exchange->write(chunk) != SendResult::kDropped) {
    written += chunk.size();
    if (exchange->queued_bytes() > 128 * 1024) std::this_thread::yield();
  }
  CHECK(written < (64u << 20));
  peer.read_all();
  CHECK(peer.closed());
}

TEST_CASE("half-closed and vanished clients") {
  TestServer server;
  server.mount("/*", {}, echo);
  Peer half(server.port);
  half.send(request("GET /a") + request("GET /b"));
  half.half_close();
  const std::string all = half.read_all();
  CHECK(has(all, "GET /a "));
  CHECK(has(all, "GET /b "));
  Peer partial(server.port);
  partial.send("GET /a HTTP/1.1\r\nHo");
  partial.half_close();
  CHECK(partial.read_all().empty());
  Peer gone(server.port);
  gone.send(post("/a", "abc").substr(0, 60));
  gone.close();
  Peer after(server.port);
  after.send(request("GET /c"));
  CHECK(has(after.read_response(), "GET /c "));
}

TEST_CASE("an exchange that is dropped is answered 500") {
  TestServer server;
  server.mount("/x", {}, [](const ExchangePtr&) {});
  Peer peer(server.port);
  peer.send(request("GET /x"));
  CHECK(has(peer.read_response(), "500 Internal Server Error"));
}

TEST_CASE("gzip for JSON, when asked for") {
  std::string json = "[";
  for (int i = 0; i < 1000; ++i) json += "\"the same\",";
  json += "0]";
  TestServer server;
  server.mount("/json", {}, [&](const ExchangePtr& exchange) {
    exchange->respond(text_response(json, "application/json"));
  });
  server.mount("/text", {},
               [&](const ExchangePtr& exchange) { exchange->respond(text_response(json)); });
  Peer peer(server.port);
  peer.send(request("GET /json", "Accept-Encoding: br, gzip;q=0.5\r\n"));
  const std::string packed = peer.read_response();
  CHECK(has(packed, "Content-Encoding: gzip"));
  CHECK(has(packed, "Vary: Accept-Encoding"));
  CHECK(gunzip(std::string_view(packed).substr(packed.find("\r\n\r\n") + 4)) == json);
  for (const char* fields : {"", "Accept-Encoding: gzip;q=0\r\n", "Accept-Encoding: br\r\n"}) {
    peer.send(request("GET /json", fields));
    CHECK_FALSE(has(peer.read_response(), "Content-Encoding"));
  }
  peer.send(request("GET /text", "Accept-Encoding: gzip\r\n"));
  CHECK_FALSE(has(peer.read_response(), "Content-Encoding"));
  CHECK(accepts_gzip("*"));
  CHECK_FALSE(accepts_gzip("*;q=0"));
  CHECK_FALSE(accepts_gzip("gzip;q=0.000, *"));
}

TEST_CASE("Host, Origin and browser posts over the wire") {
  ListenerOptions options;
  options.access.allowed_origins = {"https://ui.example"};
  TestServer server(options);
  server.mount("/x", {}, echo);
  const auto status = [&](const std::string& text) {
    Peer peer(server.port);
    peer.send(text);
    return peer.read_response().substr(9, 3);
  };
  CHECK(status("GET /x HTTP/1.1\r\nHost: evil.example\r\n\r\n") == "403");
  CHECK(status(request("GET /x", "Origin: https://evil.example\r\n")) == "403");
  CHECK(status(request("GET /x", "Origin: null\r\n")) == "403");
  CHECK(status(request("GET /x", "Origin: http://localhost:3000\r\n")) == "200");
  CHECK(status(post("/x", "{}", "Origin: http://localhost:3000\r\n")) == "415");
  CHECK(status(post("/x", "{}",
                    "Origin: http://localhost:3000\r\nContent-Type: application/json\r\n")) ==
        "200");
  Peer peer(server.port);
  peer.send(request("GET /x", "Origin: https://ui.example\r\n"));
  CHECK(has(peer.read_response(), "Access-Control-Allow-Origin: https://ui.example"));
  peer.send(request("GET /x", "Origin: http://localhost:3000\r\n"));
  CHECK_FALSE(has(peer.read_response(), "Access-Control-Allow-Origin"));
}

TEST_CASE("a mount's authentication and error form") {
  auto mount = std::make_shared<Mount>();
  mount->owner = "test";
  mount->listener = "main";
  mount->path = "/x";
  mount->authenticator = make_bearer_authenticator("secret", "desk");
  mount->error_template = "{\"detail\":{message},\"status\":{status}}";
  auto handler = std::make_shared<LambdaHandler>();
  handler->request = [](const ExchangePtr& exchange) {
    exchange->respond(text_response("hello " + exchange->request()->principal));
  };
  mount->handler = handler;
  TestServer server;
  REQUIRE_FALSE(server.server->mount(mount));
  Peer peer(server.port);
  peer.send(request("GET /x"));
  const std::string refused = peer.read_response();
  CHECK(has(refused, "401 Unauthorized"));
  CHECK(has(refused, "WWW-Authenticate: Bearer"));
  CHECK(has(refused, "{\"detail\":\"this needs 'Authorization: Bearer <token>'\",\"status\":401}"));
  peer.send(request("GET /x", "Authorization: Bearer wrong\r\n"));
  CHECK(has(peer.read_response(), "401"));
  peer.send(request("GET /x", "Authorization: Bearer secret\r\n"));
  CHECK(has(peer.read_response(), "hello desk"));
}

TEST_CASE("fields of a handler cannot break the answer") {
  TestServer server;
  server.mount("/x", {}, [](const ExchangePtr& exchange) {
    Response response = text_response("ok");
    response.head.headers = {{"X-Good", "1"},
                             {"X-Bad", "a\r\nSet-Cookie: b"},
                             {"Bad Name", "c"},
                             {"Content-Length", "999"},
                             {"connection", "upgrade"}};
    exchange->respond(std::move(response));
  });
  Peer peer(server.port);
  peer.send(request("GET /x"));
  const std::string answer = peer.read_response();
  CHECK(has(answer, "X-Good: 1"));
  CHECK_FALSE(has(answer, "Set-Cookie"));
  CHECK_FALSE(has(answer, "Bad Name"));
  CHECK_FALSE(has(answer, "999"));
  CHECK_FALSE(has(answer, "upgrade"));
}

TEST_CASE("a large answer to a slow reader does not hold others up") {
  const std::string large(8 << 20, 'x');
  TestServer server;
  server.mount("/large", {},
               [&](const ExchangePtr& exchange) { exchange->respond(text_response(large)); });
  server.mount("/x", {}, echo);
  Peer slow(server.port);
  slow.send(request("GET /large") + request("GET /x"));
  for (int i = 0; i < 4; ++i) {
    Peer other(server.port);
    other.send(request("GET /x"));
    CHECK(has(other.read_response(), "GET /x"));
  }
  const std::string answer = slow.read_response();
  CHECK(answer.size() > large.size());
  CHECK(has(slow.read_response(), "GET /x"));
}

TEST_CASE("connections over the limit are told so") {
  ListenerOptions options;
  options.limits.connections_loopback = 2;
  TestServer server(options);
  server.mount("/x", {}, echo);
  Peer one(server.port);
  Peer two(server.port);
  one.send(request("GET /x"));
  two.send(request("GET /x"));
  one.read_response();
  two.read_response();
  Peer three(server.port);
  CHECK(has(three.read_all(), "503 Service Unavailable"));
  one.close();
  while (server.server->counters().connections_open > 1) std::this_thread::yield();
  Peer four(server.port);
  four.send(request("GET /x"));
  CHECK(has(four.read_response(), "200 OK"));
}

TEST_CASE("stopping answers what is under way") {
  Promised<ExchangePtr> held;
  TestServer server;
  server.mount("/slow", {}, [&](ExchangePtr exchange) { held.set(std::move(exchange)); });
  Peer idle(server.port);
  idle.send(request("GET /none"));
  idle.read_response();
  Peer busy(server.port);
  busy.send(request("GET /slow"));
  const auto exchange = held.get();
  std::thread stopper([&] { server.server->stop(5'000); });
  CHECK(idle.closed());
  exchange->respond(text_response("done"));
  CHECK(has(busy.read_response(), "done"));
  CHECK(busy.closed());
  idle.close();
  busy.close();
  stopper.join();
}
