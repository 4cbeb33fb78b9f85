// SPDX-License-Identifier: Apache-2.0
#include <gantry/embedding/breaker.hpp>
#include <gantry/testkit/manual_clock.hpp>

#include <catch2/catch.hpp>
#include <chrono>

namespace gantry::embedding {
namespace {

using namespace std::chrono_literals;

struct Circuit {
  testkit::ManualClock clock;
  Breaker breaker;

  Breaker::Ticket in() {
    const auto ticket = breaker.enter(clock.monotonic_ns());
    REQUIRE(ticket.has_value());
    return *ticket;
  }
  bool refuses() { return !breaker.enter(clock.monotonic_ns()).has_value(); }
  void fail(Breaker::Ticket ticket) { breaker.failed(ticket, clock.monotonic_ns()); }
  void fail_once() { fail(in()); }
  void open() {
    for (int i = 0; i < 3; ++i) fail_once();
  }
};

TEST_CASE("three failures in a row open it for a minute") {
  Circuit circuit;
  circuit.fail_once();
  circuit.fail_once();
  CHECK_FALSE(circuit.breaker.is_open(circuit.clock.monotonic_ns()));
  circuit.fail_once();
  CHECK(circuit.refuses());
  CHECK(circuit.breaker.left(circuit.clock.monotonic_ns()) == 60s);
  circuit.clock.advance(60s - 1ns);
  CHECK(circuit.refuses());
  circuit.clock.advance(1ns);
  CHECK_FALSE(circuit.refuses());
}

TEST_CASE("a success in between starts the count again") {
  Circuit circuit;
  for (int i = 0; i < 5; ++i) {
    circuit.fail_once();
    circuit.fail_once();
    circuit.breaker.succeeded(circuit.in());
  }
  CHECK_FALSE(circuit.refuses());
}

TEST_CASE("a request from before does not close it, nor keep it open for longer") {
  Circuit circuit;
  const auto early = circuit.in(), other = circuit.in();
  circuit.open();
  circuit.breaker.succeeded(early);
  CHECK(circuit.refuses());
  circuit.clock.advance(30s);
  circuit.fail(other);
  CHECK(circuit.breaker.left(circuit.clock.monotonic_ns()) == 30s);
}

TEST_CASE("after the cool-down one request tries, and decides") {
  Circuit circuit;
  circuit.open();
  circuit.clock.advance(60s);
  const auto probe = circuit.in();
  CHECK(circuit.refuses());  // while it is under way
  SECTION("it succeeds") {
    circuit.breaker.succeeded(probe);
    circuit.fail_once();
    circuit.fail_once();
    CHECK_FALSE(circuit.refuses());
  }
  SECTION("it fails") {
    circuit.fail(probe);
    CHECK(circuit.breaker.left(circuit.clock.monotonic_ns()) == 60s);
    CHECK(circuit.refuses());
  }
  SECTION("nobody waits for it any more") {
    circuit.breaker.abandoned(probe);
    CHECK_FALSE(circuit.refuses());
  }
}

TEST_CASE("its limits can be others") {
  Circuit circuit;
  circuit.breaker.configure({1, 5s});
  circuit.fail_once();
  CHECK(circuit.refuses());
  circuit.clock.advance(5s);
  CHECK_FALSE(circuit.refuses());
}

}  // namespace
}  // namespace gantry::embedding
