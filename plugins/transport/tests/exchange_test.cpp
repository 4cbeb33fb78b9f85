// SPDX-License-Identifier: Apache-2.0
// Who writes an answer in one piece, and who is woken for it.
#include "exchange.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <string>
#include <thread>

#include "fixture.hpp"
#include "peer.hpp"
#include "server_core.hpp"

using namespace gantry::transport;
using namespace gantry::transport::test;

namespace {

/// An exchange whose connection is a pair of sockets and whose loop sleeps.
struct Bench {
  Bench() {
    REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) == 0);
    auto request = std::make_shared<Request>();
    request->head.method = "GET";
    state->request = request;
    state->by_loop = false;
    options.mailbox = mailbox;
    options.writer = std::make_shared<Writer>(ends[0], nullptr, size_t{1} << 20U);
    options.counters = std::make_shared<Counters>();
    REQUIRE_FALSE(mailbox->prepare_sleep());
  }
  ~Bench() {
    for (const int end : ends) ::close(end);
  }
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;

  void answer(Response response) {
    CHECK(make_exchange(state, options)->respond(std::move(response)));
  }
  bool woken() const {
    pollfd event{mailbox->event_fd(), POLLIN, 0};
    return ::poll(&event, 1, 0) == 1;
  }
  std::string written() const {
    std::array<char, 4096> part{};
    const ssize_t got = ::recv(ends[1], part.data(), part.size(), MSG_DONTWAIT);
    return got > 0 ? std::string(part.data(), static_cast<size_t>(got)) : std::string();
  }
  /// What the loop finds in its mailbox.
  std::vector<CommandKind> commands() const {
    std::vector<Command> taken;
    mailbox->take(taken);
    std::vector<CommandKind> kinds;
    for (const Command& command : taken) kinds.push_back(command.kind);
    return kinds;
  }

  std::array<int, 2> ends{};
  std::shared_ptr<Mailbox> mailbox = std::make_shared<Mailbox>();
  std::shared_ptr<ExchangeState> state = std::make_shared<ExchangeState>();
  ExchangeOptions options;
};

using Kinds = std::vector<CommandKind>;

/// A thread that answers what it is given, in that order.
class OtherThread {
 public:
  OtherThread() : thread_([this] { run(); }) {}
  ~OtherThread() {
    give(nullptr);
    thread_.join();
  }
  OtherThread(const OtherThread&) = delete;
  OtherThread& operator=(const OtherThread&) = delete;

  void give(ExchangePtr exchange) {
    const std::lock_guard lock(mutex_);
    given_.push_back(std::move(exchange));
    came_.notify_one();
  }

 private:
  void run() {
    for (;;) {
      ExchangePtr exchange;
      {
        std::unique_lock lock(mutex_);
        came_.wait(lock, [this] { return !given_.empty(); });
        exchange = std::move(given_.front());
        given_.pop_front();
      }
      if (!exchange) return;
      echo(exchange);
    }
  }

  std::mutex mutex_;
  std::condition_variable came_;
  std::deque<ExchangePtr> given_;
  std::thread thread_;
};

}  // namespace

TEST_CASE("who answers writes, and the loop sleeps on") {
  Bench bench;
  bench.options.reading_origin = "https://desk.example";
  bench.answer(text_response("here"));
  const std::string written = bench.written();
  CHECK(has(written, "HTTP/1.1 200 OK\r\nDate: "));
  CHECK(has(written, "Content-Length: 4\r\n"));
  CHECK(has(written, "Access-Control-Allow-Origin: https://desk.example\r\nVary: Origin\r\n"));
  CHECK(has(written, "\r\n\r\nhere"));
  CHECK_FALSE(bench.woken());
  CHECK(bench.commands() == Kinds{CommandKind::kAnswered});
  CHECK(bench.options.counters->responses[2] == 1);
}

TEST_CASE("the loop is woken for what waits for the answer") {
  Bench bench;
  const std::string what = GENERATE("input", "the socket, which takes no more");
  if (what == "input") {
    bench.state->input_waits = true;
  } else {
    const std::string fill(64 * 1024, 'x');
    while (::send(bench.ends[0], fill.data(), fill.size(), MSG_DONTWAIT) > 0) {
    }
  }
  INFO(what);
  bench.answer(text_response("here"));
  CHECK(bench.woken());
  CHECK(bench.commands() == Kinds{CommandKind::kAnswered});
}

TEST_CASE("the loop writes what it has to close after, and what is large") {
  Bench bench;
  Response response = text_response("here");
  const std::string why = GENERATE("the connection ends", "the handler ends it", "a large body");
  if (why == "the connection ends") bench.state->by_loop = true;
  if (why == "the handler ends it") response.head.close = true;
  if (why == "a large body") response.body = Bytes(std::string(size_t{1} << 20U, 'x'));
  INFO(why);
  bench.answer(std::move(response));
  CHECK(bench.written().empty());
  CHECK(bench.woken());
  CHECK(bench.commands() == Kinds{CommandKind::kRespond});
}

TEST_CASE("pipelined requests that another thread answers are answered in order") {
  constexpr int kRequests = 300;
  OtherThread other;
  TestServer server;
  server.mount("/{n}", {}, [&](ExchangePtr exchange) { other.give(std::move(exchange)); });
  Peer peer(server.port);
  std::string all;
  for (int i = 0; i < kRequests; ++i) all += request("GET /" + std::to_string(i));
  // Some wait in the connection's buffer, some in the socket, some are still to come.
  std::thread sender([&] {
    for (size_t at = 0; at < all.size(); at += 1000) peer.send(all.substr(at, 1000));
  });
  int wrong = 0;
  for (int i = 0; i < kRequests; ++i) {
    if (!has(peer.read_response(), "GET /" + std::to_string(i) + " ")) ++wrong;
  }
  sender.join();
  CHECK(wrong == 0);
}

TEST_CASE("a connection whose last answer another thread gave ends when it is idle") {
  OtherThread other;
  TestServer server;
  server.mount("/", {}, [&](ExchangePtr exchange) { other.give(std::move(exchange)); });
  Peer peer(server.port);
  peer.send(request("GET /"));
  REQUIRE(has(peer.read_response(), "200"));
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (peer.silent(0) && std::chrono::steady_clock::now() < until) {
    server.pass(1000);
    std::this_thread::yield();
  }
  CHECK(peer.closed());
}

TEST_CASE("nothing follows an answer to a client that ended its side meanwhile") {
  OtherThread other;
  TestServer server;
  server.mount("/", {}, [&](ExchangePtr exchange) { other.give(std::move(exchange)); });
  int wrong = 0;
  for (int i = 0; i < 200; ++i) {
    Peer peer(server.port);
    peer.send(request("GET /"));
    peer.half_close();
    server.pass(50);  // the loop asks whether the client is there, if it is not answered
    std::string seen = peer.read_all();
    const std::string interim = "HTTP/1.1 100 Continue\r\n\r\n";
    if (seen.compare(0, interim.size(), interim) == 0) seen.erase(0, interim.size());
    if (!has(seen, "HTTP/1.1 200") || has(seen, interim)) ++wrong;
  }
  CHECK(wrong == 0);
}
