// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <gantry/testkit/fake_host.hpp>

#include "greeter.hpp"

namespace greeter {
namespace {

TEST_CASE("it greets by name") {
  gantry::testkit::FakeHost kit;
  REQUIRE(kit.load<Greeter>("greeter").ok());
  const auto answer = kit.host().bus().call_wait<Greet>({"Ann"});
  REQUIRE(answer.ok());
  CHECK((*answer)->greeting == "Hello, Ann!");
}

TEST_CASE("it refuses to greet nobody") {
  gantry::testkit::FakeHost kit;
  REQUIRE(kit.load<Greeter>("greeter").ok());
  const auto answer = kit.host().bus().call_wait<Greet>({});
  REQUIRE_FALSE(answer.ok());
  CHECK(answer.error().code == gantry::Code::InvalidArgument);
}

TEST_CASE("the greeting is configured, also while it runs") {
  gantry::testkit::FakeHost kit;
  REQUIRE(kit.load<Greeter>("greeter", R"({"greeting":"Salut"})").ok());
  CHECK((*kit.host().bus().call_wait<Greet>({"Ann"}))->greeting == "Salut, Ann!");
  REQUIRE(kit.reconfigure("greeter", R"({"greeting":"Hej"})").ok());
  CHECK((*kit.host().bus().call_wait<Greet>({"Ann"}))->greeting == "Hej, Ann!");
}

}  // namespace
}  // namespace greeter
