// SPDX-License-Identifier: Apache-2.0
// What clients are told before everything that will be mounted is.
#include <catch2/catch.hpp>

#include "fixture.hpp"
#include "peer.hpp"

using namespace gantry::transport;
using namespace gantry::transport::test;

namespace {

/// Stands for the kernel: holds the question until the test answers it.
struct Kernel {
  Promised<std::function<void(bool)>> asked;
  std::atomic<int> questions{0};

  void attach(Server& server) {
    server.set_readiness([this](std::function<void(bool)> done) {
      ++questions;
      asked.set(std::move(done));
    });
  }
};

MountPtr plain_mount(const std::string& path, bool catch_all = false) {
  auto mount = std::make_shared<Mount>();
  mount->owner = "test";
  mount->listener = "main";
  mount->path = path;
  mount->catch_all = catch_all;
  auto handler = std::make_shared<LambdaHandler>();
  handler->request = echo;
  mount->handler = handler;
  return mount;
}

}  // namespace

TEST_CASE("a listener on which nothing is mounted asks for patience") {
  TestServer server;
  Peer peer(server.port);
  peer.send(request("GET /x"));
  const std::string answer = peer.read_response();
  CHECK(has(answer, "503 Service Unavailable"));
  CHECK(has(answer, "Retry-After: 1\r\n"));
  REQUIRE_FALSE(server.server->mount(plain_mount("/x")));
  peer.send(request("GET /x") + request("GET /y"));
  CHECK(has(peer.read_response(), "GET /x "));
  CHECK(has(peer.read_response(), "404 Not Found"));
}

TEST_CASE("while the daemon starts, what is not mounted is 503, and what is mounted is served") {
  Kernel kernel;
  TestServer server;
  kernel.attach(*server.server);
  REQUIRE_FALSE(server.server->mount(plain_mount("/x")));
  REQUIRE_FALSE(server.server->mount(plain_mount("/rest/*", true)));
  Peer peer(server.port);
  peer.send(request("GET /x"));
  CHECK(has(peer.read_response(), "GET /x "));
  CHECK(kernel.questions == 0);
  const std::string path = GENERATE("/other", "/rest/other");
  peer.send(request("GET " + path));
  const auto done = kernel.asked.get();
  REQUIRE(done);
  CHECK(peer.silent(20));
  SECTION("it is still starting") {
    done(false);
    const std::string answer = peer.read_response();
    CHECK(has(answer, "503 Service Unavailable"));
    CHECK(has(answer, "Retry-After: 1\r\n"));
    CHECK(has(answer, "the daemon is starting"));
  }
  SECTION("it has started") {
    done(true);
    const std::string answer = peer.read_response();
    CHECK(has(answer, path == "/other" ? "404 Not Found" : "GET /rest/other "));
  }
  SECTION("the mount came meanwhile") {
    REQUIRE_FALSE(server.server->mount(plain_mount(path)));
    done(false);
    CHECK(has(peer.read_response(), "GET " + path + " "));
  }
}

TEST_CASE("while the daemon starts, MCP is refused in JSON-RPC and the rest as is usual there") {
  const std::string both = "Accept: application/json, text/event-stream\r\n";
  const std::string rpc = R"({"jsonrpc":"2.0","error":{"code":-32000,"message":"the daemon)";
  const std::vector<std::pair<std::string, std::string>> table = {
      {post("/mcp", "{}", both), rpc},
      {request("GET /tools", "MCP-Protocol-Version: 2025-06-18\r\n"), rpc},
      {post("/api", "{}", both), R"({"usual":"the daemon)"},
  };
  for (const auto& [bytes, body] : table) {
    Kernel kernel;
    TestServer server;
    kernel.attach(*server.server);
    auto all = std::make_shared<Mount>(*plain_mount("/*", true));
    all->error_template = R"({"usual":{message}})";
    REQUIRE_FALSE(server.server->mount(all));
    Peer peer(server.port);
    peer.send(bytes);
    kernel.asked.get()(false);
    const std::string answer = peer.read_response();
    CHECK(has(answer, "503 Service Unavailable"));
    CHECK(has(answer, "Retry-After: 1\r\n"));
    CHECK(has(answer, body));
  }
}

TEST_CASE("a daemon that has started is not asked again") {
  Kernel kernel;
  TestServer server;
  kernel.attach(*server.server);
  REQUIRE_FALSE(server.server->mount(plain_mount("/x")));
  server.server->set_readiness(nullptr);
  Peer peer(server.port);
  peer.send(request("GET /other"));
  CHECK(has(peer.read_response(), "404 Not Found"));
  CHECK(kernel.questions == 0);
}

TEST_CASE("mounts are exchanged as a whole or not at all") {
  TestServer server;
  const MountPtr before = plain_mount("/a");
  REQUIRE_FALSE(server.server->mount(before));
  const auto overlap =
      server.server->exchange({before}, {plain_mount("/b"), plain_mount("/c"), plain_mount("/b")});
  REQUIRE(overlap);
  CHECK(overlap->kind == MountFailure::Kind::kOverlap);
  Peer peer(server.port);
  peer.send(request("GET /a") + request("GET /c"));
  CHECK(has(peer.read_response(), "GET /a "));
  CHECK(has(peer.read_response(), "404 Not Found"));
  REQUIRE_FALSE(server.server->exchange({before}, {plain_mount("/b"), plain_mount("/c")}));
  peer.send(request("GET /a") + request("GET /c"));
  CHECK(has(peer.read_response(), "404 Not Found"));
  CHECK(has(peer.read_response(), "GET /c "));
}
