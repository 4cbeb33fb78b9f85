// SPDX-License-Identifier: Apache-2.0
// Order, laziness, dependents, retries, reconfiguration: the life cycle of plugins that behave.
#include <catch2/catch.hpp>
#include <gantry/testkit/temp_dir.hpp>

#include <filesystem>
#include <fstream>

#include "helpers.hpp"

namespace gantry {
namespace {

using test::eventually;
using test::has_line;
using test::start_kernel;

std::string ask(testkit::InProcessKernel& kernel, const std::string& contract) {
  const auto answer = kernel.call_json(contract, "{}");
  return answer.ok() ? *answer : "error: " + answer.error().message;
}

TEST_CASE("a provider starts before who needs it, whatever the order of the configuration") {
  auto kernel = start_kernel("log: {level: debug}\nplugins: {actor_b: {}, actor_a: {}}");
  CHECK(kernel->plugin_state("actor_a") == "running");
  CHECK(kernel->plugin_state("actor_b") == "running");
  REQUIRE(eventually([&] { return has_line(*kernel, "ready"); }));
  std::vector<std::string> started;
  for (const auto& line : kernel->log_lines()) {
    if (line.find("plugin started") != std::string::npos) started.push_back(line);
  }
  REQUIRE(started.size() == 2);
  CHECK(started[0].find("actor_a") != std::string::npos);
}

TEST_CASE("a lazy plugin is opened by its first call") {
  auto kernel = start_kernel("plugins: {actor_lazy: {}}");
  CHECK(kernel->plugin_state("actor_lazy") == "lazy");
  CHECK(ask(*kernel, "test.lazy.echo/1").find("\"greeting\":\"hello\"") != std::string::npos);
  CHECK(eventually([&] { return kernel->plugin_state("actor_lazy") == "running"; }));
}

TEST_CASE("a lazy plugin that cannot start answers its callers, and the next call tries again") {
  const testkit::TempDir dir;
  const auto file = dir.path() / "needed";
  auto kernel =
      start_kernel("plugins: {actor_lazy: {config: {must_exist: '" + file.string() + "'}}}");
  const auto refused = ask(*kernel, "test.lazy.echo/1");
  INFO(refused);
  CHECK(refused.find("start failed: " + file.string() + " is not there") != std::string::npos);
  std::ofstream(file) << "x";
  const auto answer = ask(*kernel, "test.lazy.echo/1");
  INFO(answer);
  CHECK(answer.find("\"greeting\":\"hello\"") != std::string::npos);
}

TEST_CASE("lazy plugins open while others start, and while each other opens") {
  // The first waits in its start for the second, and that in its start for the third.
  auto kernel = start_kernel(
      "plugins:\n"
      "  actor_a: {config: {asks: test.lazy.echo/1}}\n"
      "  actor_lazy: {config: {asks: test.idle.echo/1}}\n"
      "  actor_idle: {}\n");
  for (const auto* name : {"actor_a", "actor_lazy", "actor_idle"}) {
    CHECK(kernel->plugin_state(name) == "running");
  }
  REQUIRE(kernel->reload("plugins: {actor_lazy: {}, actor_idle: {}}").ok());
  CHECK(kernel->plugin_state("actor_lazy") == "lazy");
  CHECK(kernel->plugin_state("actor_idle") == "running");
}

TEST_CASE("a contract of a plugin that is installed but not listed names the plugin") {
  auto kernel = start_kernel("plugins: {}");
  const auto answer = ask(*kernel, "test.a.echo/1");
  CHECK(answer.find("actor_a") != std::string::npos);
}

TEST_CASE("who needs a failed plugin waits with the reason, and starts when it comes") {
  const testkit::TempDir dir;
  const auto file = dir.path() / "needed";
  auto kernel = start_kernel("plugins: {actor_a: {config: {must_exist: '" + file.string() +
                             "'}}, actor_b: {}}");
  CHECK(kernel->plugin_state("actor_a").rfind("failed: start failed: ", 0) == 0);
  CHECK(kernel->plugin_state("actor_b").rfind(
            "waiting: requires test.a.echo/1, but actor_a is failed", 0) == 0);
  const auto health = kernel->call_json("gantry.kernel.health/1", "{}");
  REQUIRE(health.ok());
  CHECK(health->find("\"degraded\":true") != std::string::npos);
  std::ofstream(file) << "x";
  CHECK(eventually([&] { return kernel->plugin_state("actor_b") == "running"; }));
  CHECK(kernel->plugin_state("actor_a") == "running");
}

TEST_CASE("a plugin that fails again and again is put in quarantine until a reload") {
  const testkit::TempDir dir;
  const auto file = dir.path() / "needed";
  const std::string config =
      "kernel: {quarantine_after: 2}\nplugins: {actor_a: {config: {must_exist: '" + file.string() +
      "'}}}";
  auto kernel = start_kernel(config);
  CHECK(eventually([&] {
    return kernel->plugin_state("actor_a").rfind("quarantined: failed 2 times, last: start failed",
                                                 0) == 0;
  }));
  std::ofstream(file) << "x";
  REQUIRE(kernel->reload(config).ok());
  CHECK(kernel->plugin_state("actor_a") == "running");
}

TEST_CASE("a live key reaches the running plugin") {
  auto kernel = start_kernel("plugins: {actor_a: {}}");
  REQUIRE(kernel->reload("plugins: {actor_a: {config: {greeting: salve}}}").ok());
  const auto answer = ask(*kernel, "test.a.echo/1");
  CHECK(answer.find("\"greeting\":\"salve\"") != std::string::npos);
  const auto lives = answer.substr(answer.find("\"lives\""));
  REQUIRE(kernel->reload("plugins: {actor_a: {config: {greeting: ave}}}").ok());
  CHECK(ask(*kernel, "test.a.echo/1").find(lives) != std::string::npos);
}

TEST_CASE("another key restarts the plugin and who needs it, nobody else") {
  auto kernel = start_kernel("plugins: {actor_a: {}, actor_b: {}, actor_lazy: {}}");
  ask(*kernel, "test.lazy.echo/1");
  const auto lazy_before = ask(*kernel, "test.lazy.echo/1");
  const auto b_before = ask(*kernel, "test.b.echo/1");
  REQUIRE(kernel->reload("plugins: {actor_a: {config: {volume: 7}}, actor_b: {}, actor_lazy: {}}")
              .ok());
  CHECK(ask(*kernel, "test.a.echo/1").find("\"volume\":7") != std::string::npos);
  CHECK(ask(*kernel, "test.b.echo/1") != b_before);  // one life more
  CHECK(ask(*kernel, "test.lazy.echo/1") == lazy_before);
}

TEST_CASE("a plugin that will not take its configuration is restarted with it") {
  auto kernel = start_kernel("plugins: {actor_a: {}, actor_b: {}}");
  REQUIRE(
      kernel
          ->reload(
              "plugins: {actor_a: {config: {greeting: x, fail_reconfigure: true}}, actor_b: {}}")
          .ok());
  CHECK(eventually(
      [&] { return has_line(*kernel, "did not take its new configuration: I will not"); }));
  CHECK(eventually([&] { return kernel->plugin_state("actor_b") == "running"; }));
  CHECK(ask(*kernel, "test.a.echo/1").find("\"greeting\":\"x\"") != std::string::npos);
}

TEST_CASE("a wrong configuration changes nothing and says every mistake") {
  auto kernel = start_kernel("plugins: {actor_a: {config: {greeting: before}}}");
  const auto before = ask(*kernel, "test.a.echo/1");
  const auto result =
      kernel->reload("plugins: {actor_a: {config: {greeting: after, volume: 99, colour: red}}}");
  REQUIRE(!result.ok());
  CHECK(result.error().message.find("volume: found int 99, allowed: int in 0…11") !=
        std::string::npos);
  CHECK(result.error().message.find("colour: unknown key") != std::string::npos);
  CHECK(ask(*kernel, "test.a.echo/1") == before);
}

TEST_CASE("plugins come and go with the configuration") {
  auto kernel = start_kernel("plugins: {actor_a: {}, actor_b: {}}");
  REQUIRE(kernel->reload("plugins: {actor_b: {}}").ok());
  CHECK(eventually([&] { return has_line(*kernel, "plugin stopped name=actor_a"); }));
  CHECK(kernel->plugin_state("actor_a").empty());
  CHECK(kernel->plugin_state("actor_b").find("requires test.a.echo/1") != std::string::npos);
  CHECK(ask(*kernel, "test.b.echo/1").find("error: ") == 0);
  REQUIRE(kernel->reload("plugins: {actor_a: {}, actor_b: {}}").ok());
  CHECK(ask(*kernel, "test.b.echo/1").find("greeting") != std::string::npos);
  REQUIRE(kernel->reload("plugins: {actor_a: false, actor_b: {}}").ok());
  CHECK(kernel->plugin_state("actor_a") == "disabled: not enabled in the configuration");
}

TEST_CASE("secrets reach the plugin and nothing else") {
  auto kernel = start_kernel("plugins: {actor_a: {config: {password: hunter2}}}");
  CHECK(eventually([&] { return has_line(*kernel, "acting"); }));
  CHECK(!has_line(*kernel, "hunter2"));
  const auto config = kernel->call_json("gantry.kernel.config/1", "{}");
  REQUIRE(config.ok());
  CHECK(config->find("\"password\":\"***\"") != std::string::npos);
  CHECK(config->find("hunter2") == std::string::npos);
}

TEST_CASE("the kernel tells about itself") {
  auto kernel = start_kernel("plugins: {actor_a: {}}");
  const auto plugins = kernel->call_json("gantry.kernel.plugins/1", "{}");
  REQUIRE(plugins.ok());
  CHECK(plugins->find("\"name\":\"actor_a\",\"version\":\"0.1.0\",\"state\":\"running\"") !=
        std::string::npos);
  ask(*kernel, "test.a.echo/1");
  const auto trace = kernel->call_json("gantry.kernel.trace/1", R"({"contract":"test.a.echo/1"})");
  REQUIRE(trace.ok());
  CHECK(trace->find("\"receiver\":\"actor_a\",\"status\":\"ok\"") != std::string::npos);
  const auto schema = kernel->call_json("gantry.kernel.schema/1", R"({"name":"test.a.echo/1"})");
  REQUIRE(schema.ok());
  CHECK(schema->find("\"kind\":\"call\"") != std::string::npos);
  const auto unknown = kernel->call_json("gantry.kernel.schema/1", R"({"name":"test.a.ecko/1"})");
  REQUIRE(!unknown.ok());
  CHECK(unknown.error().message.find("Did you mean 'test.a.echo/1'?") != std::string::npos);
  const auto limit = kernel->call_json("gantry.kernel.trace/1", R"({"limit":0})");
  REQUIRE(!limit.ok());
  CHECK(limit.error().code == Code::InvalidArgument);
  const auto contracts = kernel->call_json("gantry.kernel.contracts/1", "{}");
  REQUIRE(contracts.ok());
  CHECK(contracts->find("test.a.echo/1") != std::string::npos);
}

}  // namespace
}  // namespace gantry
