// SPDX-License-Identifier: Apache-2.0
// Each plugin that breaks a rule: the daemon says what happened and everybody else goes on.
#include <catch2/catch.hpp>

#include "helpers.hpp"

namespace gantry {
namespace {

using test::eventually;
using test::has_line;
using test::start_kernel;

// actor_a beside it must run and answer, whatever the other one does.
void check_neighbour(testkit::InProcessKernel& kernel) {
  CHECK(kernel.plugin_state("actor_a") == "running");
  const auto answer = kernel.call_json("test.a.echo/1", R"({"text":"hi"})");
  REQUIRE(answer.ok());
  CHECK(answer->find("\"text\":\"hi\"") != std::string::npos);
}

TEST_CASE("plugins that cannot be opened say why, and nobody else minds") {
  struct Row {
    const char* name;
    const char* reason;
  };
  constexpr Row kRows[] = {
      {"wrong_magic", "is no Gantry plugin: its entry begins with 0xdeadbeef, expected 0x59525447"},
      {"newer_major",
       "it was built for plugin ABI 2.0, this daemon has 1.0; a newer daemon can load it"},
      {"short_entry", "has an entry of 16 bytes, needed are"},
      {"no_entry", "is a library but no plugin: it does not export gantry_plugin_entry"},
      {"other_name", "says its name is 'somebody_else', plugin.yaml says 'other_name'"},
      {"throws_in_init", "could not be opened: the plugin threw: on purpose"},
      {"throws_raw",
       "start failed: it threw out of start, which no plugin may do: through the C boundary"},
      {"missing_dependency",
       "requires test.nowhere.poke/1, which no enabled plugin serves, and no installed plugin "
       "could"},
  };
  for (const auto& row : kRows) {
    INFO(row.name);
    auto kernel = start_kernel("plugins: {actor_a: {}, " + std::string(row.name) + ": {}}");
    const std::string state = kernel->plugin_state(row.name);
    INFO(state);
    CHECK(state.rfind("failed: ", 0) == 0);
    CHECK(state.find(row.reason) != std::string::npos);
    CHECK(eventually([&] { return has_line(*kernel, row.name); }));
    check_neighbour(*kernel);
    CHECK(kernel->stop());
  }
}

TEST_CASE("a plugin that answers twice is answered once and reported") {
  auto kernel = start_kernel("plugins: {actor_a: {}, completes_twice: {}}");
  for (int i = 0; i < 3; ++i) {
    const auto answer = kernel->call_json("test.completes_twice.poke/1", "{}");
    REQUIRE(answer.ok());
    CHECK(*answer == "{}");
  }
  CHECK(eventually([&] { return has_line(*kernel, "completes_twice"); }));
  const auto metrics = kernel->call_json("gantry.kernel.metrics/1", "{}");
  REQUIRE(metrics.ok());
  CHECK(metrics->find("gantry_bus_violations_total{plugin=\\\"completes_twice\\\"} 3") !=
        std::string::npos);
  check_neighbour(*kernel);
}

TEST_CASE("a plugin that leaks calls costs its callers their deadline, not their lives") {
  auto kernel = start_kernel("plugins: {actor_a: {}, leaks_calls: {}}");
  const auto answer =
      kernel->call_json("test.leaks_calls.poke/1", "{}", std::chrono::milliseconds(50));
  REQUIRE(!answer.ok());
  CHECK(answer.error().code == Code::DeadlineExceeded);
  check_neighbour(*kernel);
  CHECK(kernel->stop());
}

TEST_CASE("waiting on a strand is refused, and a thread that was forgotten does no harm") {
  auto kernel = start_kernel("plugins: {actor_a: {}, wrong_thread: {}}");
  const auto answer = kernel->call_json("test.wrong_thread.poke/1", "{}");
  REQUIRE(answer.ok());
  CHECK(answer->find("must not wait") != std::string::npos);
  // The thread goes on calling while the plugin is stopped under it.
  REQUIRE(kernel->reload("plugins: {actor_a: {}}").ok());
  check_neighbour(*kernel);
  // In a daemon the process ends under such a thread; here the kernel is destroyed and the test
  // lives.
  CHECK(eventually([&] { return has_line(*kernel, "my own thread ends"); }));
}

TEST_CASE("exceptions through the C boundary are counted, and too many mean quarantine") {
  auto kernel =
      start_kernel("kernel: {quarantine_after: 3}\nplugins: {actor_a: {}, throws_in_handler: {}}");
  CHECK(kernel->plugin_state("throws_in_handler") == "running");
  for (int i = 0; i < 3; ++i) {
    CHECK(!kernel->call_json("test.throws_in_handler.poke/1", "{}").ok());
  }
  CHECK(eventually([&] {
    return kernel->plugin_state("throws_in_handler").rfind("quarantined: broke the rules", 0) == 0;
  }));
  CHECK(kernel->plugin_state("throws_in_handler").find("in a handler") != std::string::npos);
  const auto answer = kernel->call_json("test.throws_in_handler.poke/1", "{}");
  REQUIRE(!answer.ok());
  CHECK(answer.error().code == Code::Unavailable);
  CHECK(answer.error().message.find("quarantined") != std::string::npos);
  const auto metrics = kernel->call_json("gantry.kernel.metrics/1", "{}");
  REQUIRE(metrics.ok());
  CHECK(metrics->find("gantry_bus_violations_total{plugin=\\\"throws_in_handler\\\"} 3") !=
        std::string::npos);
  check_neighbour(*kernel);
}

}  // namespace
}  // namespace gantry
