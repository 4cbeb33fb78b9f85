// SPDX-License-Identifier: Apache-2.0
// Answers: in one piece, streamed, compressed, and to readers that are slow or gone.
#include <zlib.h>
#include <catch2/catch.hpp>

#include <chrono>
#include <thread>

#include "fixture.hpp"
#include "peer.hpp"
#include "response_head.hpp"

using namespace gantry::transport;
using namespace gantry::transport::test;

namespace {

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
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!sink->gone.is_set() && std::chrono::steady_clock::now() < until) {
    server.pass(20);  // so long may who only ended its side wait for the rest of an answer
    std::this_thread::yield();
  }
  CHECK(sink->gone.is_set());
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
