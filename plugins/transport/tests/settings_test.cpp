// SPDX-License-Identifier: Apache-2.0
// The keys of plugin.yaml, on the real kernel: what each of them does.
#include <catch2/catch.hpp>
#include <gantry/contracts/http.hpp>
#include <gantry/testkit/kernel.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "fixture.hpp"
#include "peer.hpp"
#include "settings.hpp"

using namespace gantry;
using namespace gantry::transport::test;

namespace {

namespace fs = std::filesystem;

/// The transport with some keys, and a listener "test" on which POST /echo and GET /ws are mounted.
struct ConfiguredWorld {
  explicit ConfiguredWorld(const std::string& keys)
      : kernel({.config = "plugins: {transport: {config: {loops: 1, " + keys + "}}}"}) {
    REQUIRE(kernel.start().ok());
    INFO(kernel.plugin_state("transport"));
    ListenRequest wanted;
    wanted.listener = "test";
    const auto info = kernel.host().bus().call_wait<HttpListen>(wanted);
    REQUIRE(info.ok());
    port = static_cast<uint16_t>((*info)->port);
    const auto handle = [](const gantry::HttpRequest& request) -> Result<HttpResponse> {
      HttpResponse response;
      response.body = request.body;
      return response;
    };
    REQUIRE(kernel.host().bus().serve<HttpHandle>(handle).ok());
    MountRequest mount;
    mount.listener = "test";
    HttpRoute echo;
    echo.methods = {"GET", "POST"};
    echo.path = "/echo";
    mount.routes = {echo};
    REQUIRE(kernel.host().bus().call_wait<HttpMount>(mount).ok());
  }
  std::string ask(const std::string& text) const {
    Peer peer(port);
    peer.send(text);
    return peer.read_response();
  }
  /// The sentence that the health report has for a component; "" when it is well.
  std::string complaint(const std::string& component) {
    const auto report = kernel.call_json("gantry.kernel.health/1", "{}");
    REQUIRE(report.ok());
    const size_t at = report->find("\"component\":\"" + component + "\"");
    if (at == std::string::npos) return "absent";
    const std::string entry = report->substr(at, report->find('}', at) - at);
    return has(entry, "\"state\":\"ok\"") ? "" : entry;
  }
  testkit::InProcessKernel kernel;
  uint16_t port = 0;
};

/// A folder with one file.
struct Folder {
  Folder() {
    std::string pattern = (fs::temp_directory_path() / "gantry-static-XXXXXX").string();
    REQUIRE(::mkdtemp(pattern.data()) != nullptr);
    path = pattern;
    std::ofstream(path / "a.txt") << "content";
  }
  ~Folder() { fs::remove_all(path); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  fs::path path;
};

template <class Condition>
bool wait_for(Condition condition) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > until) return false;
    std::this_thread::yield();
  }
  return true;
}

}  // namespace

TEST_CASE("limits of the head are keys") {
  const ConfiguredWorld world("target_size: 300, header_count: 8");
  CHECK(has(world.ask(request("GET /" + std::string(290, 'a'))), "404 Not Found"));
  CHECK(has(world.ask(request("GET /" + std::string(310, 'a'))), "414 URI Too Long"));
  std::string fields;
  for (int i = 0; i < 7; ++i) fields += "X-" + std::to_string(i) + ": y\r\n";
  CHECK(has(world.ask(request("GET /echo", fields)), "200 OK"));
  CHECK(has(world.ask(request("GET /echo", fields + "X: y\r\n")), "431 "));
}

TEST_CASE("how much of a refused body is drained is a key") {
  const ConfiguredWorld world("drain_size: 10");
  const std::string kept = world.ask(post("/none", std::string(10, 'x')));
  CHECK_FALSE(has(kept, "Connection: close"));
  CHECK(has(world.ask(post("/none", std::string(11, 'x'))), "Connection: close"));
}

TEST_CASE("every key reaches its limit") {
  const auto settings = transport::parse_settings(
      R"({"head_size":1,"head_timeout":2,"target_size":3,"header_count":4,"body_size":5,
          "body_timeout":6,"body_min_rate":7,"drain_size":8,"message_size":9,"idle_timeout":10,
          "request_timeout":11,"ping_interval":12,"pong_timeout":13,"close_timeout":14,
          "linger_timeout":15,"tls_handshake_timeout":16,"receive_credit":17,"send_queue":18,
          "send_timeout":19,"connections":20,"connections_per_address":21,
          "connections_loopback":22,"stop_grace":23,"arriving":24,"leaving":25})");
  REQUIRE(settings.ok());
  const transport::Limits& limits = settings->limits;
  const std::vector<std::int64_t> found{
      static_cast<std::int64_t>(limits.head_bytes),
      limits.head_timeout_ms,
      static_cast<std::int64_t>(limits.target_bytes),
      static_cast<std::int64_t>(limits.header_count),
      static_cast<std::int64_t>(limits.body_bytes),
      limits.body_timeout_ms,
      static_cast<std::int64_t>(limits.body_min_rate),
      static_cast<std::int64_t>(limits.drain_bytes),
      static_cast<std::int64_t>(limits.message_bytes),
      limits.idle_timeout_ms,
      settings->request_timeout_ms,
      limits.ws_ping_interval_ms,
      limits.ws_pong_timeout_ms,
      limits.ws_close_timeout_ms,
      limits.linger_timeout_ms,
      limits.tls_handshake_timeout_ms,
      limits.receive_credit,
      static_cast<std::int64_t>(limits.send_queue_bytes),
      limits.send_timeout_ms,
      static_cast<std::int64_t>(limits.connections),
      static_cast<std::int64_t>(limits.connections_per_address),
      static_cast<std::int64_t>(limits.connections_loopback),
      settings->stop_grace_ms,
      static_cast<std::int64_t>(settings->arriving_bytes),
      static_cast<std::int64_t>(settings->leaving_bytes),
  };
  for (size_t i = 0; i < found.size(); ++i) CHECK(found[i] == static_cast<std::int64_t>(i) + 1);
}

TEST_CASE("the configuration puts a plugin's routes under a prefix or a host of their own") {
  const std::string kEcho = "GET /echo";
  ConfiguredWorld prefixed("mounts: {kernel: {prefix: /one}, other: {prefix: /two}}");
  CHECK(has(prefixed.ask(request("GET /one/echo")), "200 OK"));
  CHECK(has(prefixed.ask(request(kEcho)), "404 Not Found"));
  ConfiguredWorld hosted("mounts: {kernel: {host: one.localhost}}");
  CHECK(has(hosted.ask("GET /echo HTTP/1.1\r\nHost: one.localhost\r\n\r\n"), "200 OK"));
  CHECK(has(hosted.ask(request(kEcho)), "404 Not Found"));
}

TEST_CASE("the prefix of a mount is a path that ends without a slash") {
  CHECK(transport::parse_settings(R"({"mounts":{"a":{"prefix":"/x"},"b":{"host":"b"}}})").ok());
  for (const char* prefix : {"x", "/x/", "/"}) {
    const auto settings = transport::parse_settings(R"({"mounts":{"a":{"prefix":")" +
                                                    std::string(prefix) + R"("}}})");
    INFO(prefix);
    REQUIRE_FALSE(settings.ok());
    CHECK(has(settings.error().message, "mounts.a.prefix: found '"));
  }
}

TEST_CASE("a folder of the configuration is served on the listener of a plugin") {
  const Folder folder;
  ConfiguredWorld world("static: [{listener: test, folder: '" + folder.path.string() + "'}]");
  REQUIRE(wait_for([&] { return world.complaint("static./files/").empty(); }));
  const std::string answer = world.ask(request("GET /files/a.txt"));
  CHECK(has(answer, "200 OK"));
  CHECK(has(answer, "\r\n\r\ncontent"));
  CHECK(has(world.ask(request("GET /echo")), "200 OK"));
}

TEST_CASE("a folder may have a listener of its own") {
  const Folder folder;
  ConfiguredWorld world(
      "listeners: {files: {address: '127.0.0.1:0', token: word}}, "
      "static: [{listener: files, prefix: /, folder: '" +
      folder.path.string() + "'}]");
  REQUIRE(wait_for([&] { return world.complaint("static./").empty(); }));
  const auto list = world.kernel.host().bus().call_wait<HttpListeners>({});
  REQUIRE(list.ok());
  for (const auto& listener : (*list)->listeners) {
    if (listener.listener == "files") world.port = static_cast<uint16_t>(listener.port);
  }
  CHECK(has(world.ask(request("GET /a.txt")), "401 Unauthorized"));
  CHECK(has(world.ask(request("GET /a.txt", "Authorization: Bearer word\r\n")), "content"));
}

TEST_CASE("a folder that cannot be served is told, and all else works") {
  ConfiguredWorld world(
      "static: [{listener: test, prefix: /echo, folder: /nonexistent}, {listener: gone, folder: "
      "/nonexistent}]");
  REQUIRE(wait_for([&] { return has(world.complaint("static./echo"), "overlaps"); }));
  REQUIRE(wait_for([&] {
    return has(world.complaint("static./files/"), "no plugin has opened the listener 'gone'");
  }));
  CHECK(has(world.ask(request("GET /echo")), "200 OK"));
}

TEST_CASE("folders and prefixes are absolute paths") {
  const auto relative =
      transport::parse_settings(R"({"static":[{"listener":"a","prefix":"/x","folder":"files"}]})");
  REQUIRE_FALSE(relative.ok());
  CHECK(relative.error().message == "static[0].folder: found 'files', allowed: an absolute path");
  const auto bare =
      transport::parse_settings(R"({"static":[{"listener":"a","prefix":"x","folder":"/f"}]})");
  REQUIRE_FALSE(bare.ok());
  CHECK(has(bare.error().message, "static[0].prefix: found 'x'"));
}
