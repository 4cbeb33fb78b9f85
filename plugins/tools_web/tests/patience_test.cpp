// SPDX-License-Identifier: Apache-2.0
// Slow servers and callers that give up, through the real kernel.
#include <catch2/catch.hpp>
#include <gantry/contracts/tool.hpp>
#include <gantry/testkit/kernel.hpp>
#include <gantry/testkit/probe.hpp>

#include <string>

#include "tiny_server.hpp"

using namespace gantry;
using namespace gantry::web::testing;
using Run = testkit::StreamProbe<ToolRun>;

namespace {

constexpr auto kLimit = std::chrono::seconds(30);

struct SlowWorld {
  TinyServer server;
  testkit::InProcessKernel kernel;

  explicit SlowWorld(const std::string& limits)
      : kernel({"plugins: {tools_web: {config: {callers: ['*'], fetch: {allow_networks: "
                "[127.0.0.0/8], ports: [" +
                std::to_string(server.port()) + "], " + limits + "}}}}"}) {
    REQUIRE(kernel.start().ok());
  }
  Run begin(const std::string& path) {
    ToolCallRequest request;
    request.name = "web_fetch";
    request.arguments = Json(R"({"url":")" + server.url(path) + "\"}");
    return Run(kernel.host(), request);
  }
  std::string failure(const std::string& path) {
    const Run run = begin(path);
    REQUIRE(run.wait_for_end(kLimit));
    REQUIRE(run.all().size() == 1);
    return run.all().front().result->content.at(0).text;
  }
};

}  // namespace

TEST_CASE("each phase has its time") {
  SlowWorld world("connect_timeout: 10s, first_byte_timeout: 200ms, idle_timeout: 200ms");
  world.server.put("/silent", "", true);
  CHECK(world.failure("/silent").starts_with(
      "deadline_exceeded: the answer did not begin in time from http://127.0.0.1:"));
  world.server.put("/pauses", "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf", true);
  CHECK(world.failure("/pauses").starts_with(
      "deadline_exceeded: the answer paused for too long from http://127.0.0.1:"));
}

TEST_CASE("all of it has its time, too") {
  SlowWorld world("timeout: 300ms");
  world.server.put("/silent", "", true);
  CHECK(world.failure("/silent").starts_with("deadline_exceeded: fetching http://127.0.0.1:"));
}

TEST_CASE("a caller who gives up ends the request, and the others go on") {
  SlowWorld world("parallel: 1");
  world.server.put("/silent", "", true);
  world.server.put("/page", answer("text/plain", "here"));
  Run waits = world.begin("/silent");
  const Run next = world.begin("/page");  // there is room for one only
  waits.stream().close(Error{Code::Cancelled, "changed my mind", {}});
  REQUIRE(next.wait_for_end(kLimit));
  REQUIRE(next.all().size() == 1);
  CHECK(next.all().front().result->content.at(0).text.find("here") != std::string::npos);
  CHECK(waits.all().empty());
}

TEST_CASE("stopping does not wait for a server") {
  SlowWorld world("parallel: 1");
  world.server.put("/silent", "", true);
  const Run waits = world.begin("/silent");
  REQUIRE(world.server.asked_within(kLimit));
  CHECK(world.kernel.stop());
  REQUIRE(waits.wait_for_end(kLimit));
  CHECK(waits.ends().front().code == Code::Unavailable);
}

TEST_CASE("a request that is on its way to the tool holds no stop either") {
  SlowWorld world("parallel: 1");
  world.server.put("/silent", "", true);
  const Run waits = world.begin("/silent");
  CHECK(world.kernel.stop());
}
