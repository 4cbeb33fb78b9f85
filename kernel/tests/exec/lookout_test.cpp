// SPDX-License-Identifier: Apache-2.0
#include "exec/lookout.hpp"

#include <catch2/catch.hpp>

#include <atomic>
#include <thread>

using namespace gantry::kernel;

namespace {

constexpr std::int64_t kLongestNs = 50'000;
constexpr std::int64_t kStepNs = 1'000;

/// Lets time pass in small steps until the look that has begun has ended; returns what it brought.
RunNode* look_alone(Lookout& lookout, ManualClock& clock) {
  const std::int64_t begun = clock.monotonic_ns();
  RunNode* found = nullptr;
  std::atomic<bool> ended{false};
  std::thread worker([&] {
    found = lookout.look(begun);
    ended = true;
  });
  while (!ended) {
    clock.advance(kStepNs);
    std::this_thread::yield();
  }
  worker.join();
  return found;
}

}  // namespace

TEST_CASE("one worker looks, and gets what is given meanwhile") {
  ManualClock clock;
  Lookout lookout(clock, kLongestNs);
  RunNode first, second;
  CHECK_FALSE(lookout.give(first));
  REQUIRE(lookout.begin(clock.monotonic_ns()));
  CHECK_FALSE(lookout.begin(clock.monotonic_ns()));
  CHECK(lookout.give(first));
  CHECK_FALSE(lookout.give(second));
  CHECK(lookout.look(clock.monotonic_ns()) == &first);
  CHECK_FALSE(lookout.give(second));
  CHECK(lookout.begin(clock.monotonic_ns()));
}

TEST_CASE("a look ends after its time with nothing") {
  ManualClock clock;
  Lookout lookout(clock, kLongestNs);
  REQUIRE(lookout.begin(clock.monotonic_ns()));
  CHECK(look_alone(lookout, clock) == nullptr);
  RunNode node;
  CHECK_FALSE(lookout.give(node));
}

TEST_CASE("nobody looks when the setting is 0, nor after a long sleep, until sleeps are short") {
  ManualClock clock;
  Lookout never(clock, 0);
  never.slept(1);
  CHECK_FALSE(never.begin(clock.monotonic_ns()));

  Lookout lookout(clock, kLongestNs);
  lookout.slept(kLongestNs + 1);
  CHECK_FALSE(lookout.begin(clock.monotonic_ns()));
  lookout.slept(kLongestNs);
  REQUIRE(lookout.begin(clock.monotonic_ns()));
  CHECK(look_alone(lookout, clock) == nullptr);
  lookout.slept(kLongestNs + 1);
  CHECK_FALSE(lookout.begin(clock.monotonic_ns()));
}

TEST_CASE("a worker that was put off its core leaves the machine alone for a while") {
  ManualClock clock;
  Lookout lookout(clock, kLongestNs);
  const std::int64_t begun = clock.monotonic_ns();
  REQUIRE(lookout.begin(begun));
  clock.advance(kLongestNs - 1);  // as one step: somebody else had the core
  CHECK(lookout.look(begun) == nullptr);
  CHECK_FALSE(lookout.begin(clock.monotonic_ns()));
  clock.advance(1'000'000'000);
  CHECK(lookout.begin(clock.monotonic_ns()));
}
