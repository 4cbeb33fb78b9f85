// SPDX-License-Identifier: Apache-2.0
// Also built outside the tree against an installed Gantry (tests/external/cxx).
#include <catch2/catch.hpp>
#include <gantry/testkit/fake_host.hpp>
#include <gantry/testkit/manual_clock.hpp>

#include <functional>
#include <utility>

namespace gantry {
namespace {

using testkit::FakeHost;
using testkit::ManualClock;

/// A part of a plugin that is given its time.
class Freshness {
 public:
  Freshness(std::function<std::int64_t()> now_ns, Duration keep)
      : now_ns_(std::move(now_ns)), keep_(keep) {}
  void renew() { renewed_ns_ = now_ns_(); }
  [[nodiscard]] bool fresh() const { return now_ns_() - renewed_ns_ < keep_.count(); }

 private:
  std::function<std::int64_t()> now_ns_;
  Duration keep_;
  std::int64_t renewed_ns_ = 0;
};

TEST_CASE("a part of a plugin and its host share one time") {
  ManualClock clock;
  Freshness freshness(clock.monotonic(), std::chrono::minutes(1));
  FakeHost kit(clock);
  freshness.renew();
  kit.advance(std::chrono::seconds(59));
  CHECK(freshness.fresh());
  kit.advance(std::chrono::seconds(1));
  CHECK_FALSE(freshness.fresh());
  CHECK(kit.now_ns() == clock.monotonic_ns());
}

TEST_CASE("time stands still until it is moved") {
  ManualClock clock;
  const auto monotonic = clock.monotonic();
  const auto wall = clock.wall();
  CHECK(monotonic() == ManualClock::kMonotonic);
  CHECK(wall() == ManualClock::kWall);
  clock.advance(std::chrono::milliseconds(3));
  CHECK(monotonic() == ManualClock::kMonotonic + 3'000'000);
  CHECK(wall() == ManualClock::kWall + 3'000'000);
}

TEST_CASE("a wall clock that is set leaves timers and monotonic time alone") {
  FakeHost kit;
  Host& host = kit.host();
  int fired = 0;
  const Timer timer = host.after(std::chrono::seconds(10), [&] { ++fired; });
  const std::int64_t before = host.monotonic_ns();
  kit.clock().set_wall_ns(0);
  CHECK(host.wall_ns() == 0);
  CHECK(host.monotonic_ns() == before);
  kit.advance(std::chrono::seconds(9));
  CHECK(fired == 0);
  kit.advance(std::chrono::seconds(1));
  CHECK(fired == 1);
  CHECK(host.wall_ns() == 10'000'000'000);
}

TEST_CASE("a timer that the clock has passed fires at the next advance") {
  ManualClock clock;
  FakeHost kit(clock);
  int fired = 0;
  const Timer timer = kit.host().after(std::chrono::seconds(10), [&] { ++fired; });
  clock.advance(std::chrono::seconds(30));
  const std::int64_t now = clock.monotonic_ns();
  kit.advance(Duration(0));
  CHECK(fired == 1);
  CHECK(clock.monotonic_ns() == now);  // time never goes back
}

}  // namespace
}  // namespace gantry
