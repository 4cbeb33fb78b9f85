// SPDX-License-Identifier: Apache-2.0
//
// A server that takes connections and says nothing, as one that was stopped does.
#include "connection.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>
#include <catch2/catch.hpp>

#include <thread>

using namespace gantry;
using namespace gantry::x11;

namespace {

constexpr int kFirstPort = 6000;  // of display 0

class SilentServer {
 public:
  SilentServer() : socket_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    REQUIRE(bind(socket_, reinterpret_cast<sockaddr*>(&address), size) == 0);
    REQUIRE(listen(socket_, 8) == 0);
    REQUIRE(getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &size) == 0);
    display_ = "127.0.0.1:" + std::to_string(ntohs(address.sin_port) - kFirstPort);
  }
  ~SilentServer() {
    if (client_ >= 0) close(client_);
    close(socket_);
  }
  SilentServer(const SilentServer&) = delete;
  SilentServer& operator=(const SilentServer&) = delete;

  [[nodiscard]] const std::string& display() const { return display_; }
  /// Until a client has sent something and waits for the answer.
  void wait_for_greeting() {
    client_ = accept(socket_, nullptr, nullptr);
    char byte = 0;
    REQUIRE(recv(client_, &byte, 1, 0) == 1);
  }

 private:
  int socket_;
  int client_ = -1;
  std::string display_;
};

ConnectionOptions to(const SilentServer& server, std::chrono::nanoseconds limit) {
  ConnectionOptions options;
  options.display = server.display();
  options.connect_limit = limit;
  return options;
}

}  // namespace

TEST_CASE("a stop does not wait for a server that does not answer") {
  SilentServer server;
  X11Connection connection(to(server, std::chrono::hours(24)));
  std::thread starting([&] { connection.start(); });
  server.wait_for_greeting();
  connection.give_up();
  starting.join();
  connection.stop();
  CHECK(connection.why_not() == "the adapter has stopped");
}

TEST_CASE("a server that does not answer is said to be there and silent") {
  SilentServer server;
  X11Connection connection(to(server, std::chrono::milliseconds(1)));
  for (int i = 0; i < 2; ++i) {
    const auto session = connection.session();
    REQUIRE_FALSE(session.ok());
    CHECK(session.error().code == Code::Unavailable);
    CHECK_THAT(session.error().message, Catch::Contains("does not answer"));
  }
}
