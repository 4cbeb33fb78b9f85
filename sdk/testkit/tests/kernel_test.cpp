// SPDX-License-Identifier: Apache-2.0
//
// InProcessKernel: the same sample contracts over the real bus.
#include <catch2/catch.hpp>
#include <gantry/contracts/kernel.hpp>
#include <gantry/testkit/kernel.hpp>
#include <gantry/testkit/probe.hpp>

#include "sample_plugin.hpp"

namespace gantry::testkit {
namespace {

using samples::Needed;
using samples::Text;
using samples::Tick;

TEST_CASE("a kernel without plugins answers for itself") {
  InProcessKernel kernel({.config = "plugins: {}\n"});
  const auto started = kernel.start();
  if (!started.ok()) FAIL(started.error().message);
  const auto health = kernel.host().bus().call_wait<KernelHealth>({});
  REQUIRE(health.ok());
  CHECK((*health)->live);
  CHECK((*health)->ready);
  const auto json = kernel.call_json("gantry.kernel.plugins/1", "{}");
  REQUIRE(json.ok());
  CHECK(*json == R"({"plugins":[]})");
  CHECK(kernel.call_json("gantry.nobody.serves/1", "{}").error().code == Code::Unavailable);
  const auto trace = kernel.host().bus().call_wait<KernelTrace>({});
  REQUIRE(trace.ok());
  CHECK((*trace)->entries.size() >= 3);
  for (const auto& entry : (*trace)->entries) CHECK_FALSE(entry.contract.empty());
  CHECK(kernel.stop());
  CHECK_FALSE(kernel.log_lines().empty());
}

TEST_CASE("a wrong configuration is an error that names the place") {
  InProcessKernel kernel({.config = "kernel:\n  thread: 2\n"});
  const auto started = kernel.start();
  REQUIRE_FALSE(started.ok());
  CHECK_THAT(started.error().message,
             Catch::Contains("gantry.yaml:3") && Catch::Contains("thread"));
}

TEST_CASE("probes stand on the real bus") {
  InProcessKernel kernel({.config = "plugins: {}\n"});
  REQUIRE(kernel.start().ok());
  EventProbe<Tick> ticks(kernel.host());
  CallProbe<Needed> needed(kernel.host(),
                           [](const Text& in) -> Result<Text> { return Text{in.text + "?"}; });
  REQUIRE(ticks.failure().empty());
  REQUIRE(needed.failure().empty());
  kernel.host().bus().publish<Tick>({"one"});
  REQUIRE(ticks.wait(1));
  CHECK(ticks.all()[0].text == "one");
  const auto answer = kernel.host().bus().call_wait<Needed>({"really"});
  REQUIRE(answer.ok());
  CHECK((*answer)->text == "really?");
}

}  // namespace
}  // namespace gantry::testkit
