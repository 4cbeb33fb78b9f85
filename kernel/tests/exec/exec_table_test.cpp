// SPDX-License-Identifier: Apache-2.0
#include "bus_fixture.hpp"

#include <catch2/catch.hpp>

#include <atomic>
#include <thread>

using namespace gantry::kernel;
using namespace gantry::kernel::test;

TEST_CASE("timers fire at their time on the strand, once or periodically") {
  Bench bench;
  Plugin p = bench.plugin("p");
  Journal journal;
  Counter dropped;
  const auto note = [&](std::string text) {
    return closure([&, text, guard = std::shared_ptr<void>(nullptr, [&](void*) {
                               dropped.add();
                             })] { journal.add(text); });
  };
  CHECK(p.exec->timer_start(p.host, 30 * kMs, 0, 0, note("once")) != 0);
  const std::uint64_t periodic = p.exec->timer_start(p.host, 10 * kMs, 20 * kMs, 0, note("tick"));
  CHECK(journal.now().empty());
  bench.clock.advance(10 * kMs - 1);
  p.run([] {});
  CHECK(journal.now().empty());
  bench.clock.advance(1);
  CHECK(journal.after(1) == std::vector<std::string>{"tick"});
  bench.clock.advance(20 * kMs);  // both at once: armed first, fired first
  CHECK(journal.after(3) == std::vector<std::string>{"tick", "once", "tick"});
  CHECK(dropped.reaches(1));
  p.exec->timer_cancel(p.host, periodic);
  CHECK(dropped.reaches(2));
  bench.clock.advance(1000 * kMs);
  p.run([] {});
  CHECK(journal.now().size() == 3);
  p.exec->timer_cancel(p.host, periodic);
  p.exec->timer_cancel(p.host, 12345);
  bench.finish();
}

TEST_CASE("a timer cancelled while queued does not run; one that cancels itself ends") {
  Bench bench;
  Plugin p = bench.plugin("p");
  Counter ran, dropped;
  std::uint64_t queued = 0;
  p.run([&] {
    queued = p.exec->timer_start(p.host, 5 * kMs, 0, 0,
                                 closure([&, guard = std::shared_ptr<void>(nullptr, [&](void*) {
                                               dropped.add();
                                             })] { ran.add(); }));
    bench.clock.advance(5 * kMs);  // due now, but this handler has the strand
    p.exec->timer_cancel(p.host, queued);
  });
  CHECK(dropped.reaches(1));
  CHECK(ran.get() == 0);

  auto self = std::make_shared<std::atomic<std::uint64_t>>(0);
  *self = p.exec->timer_start(
      p.host, kMs, kMs, 0,
      closure([&, self, guard = std::shared_ptr<void>(nullptr, [&](void*) { dropped.add(); })] {
        ran.add();
        p.exec->timer_cancel(p.host, *self);
      }));
  bench.clock.advance(kMs);
  CHECK(dropped.reaches(2));
  bench.clock.advance(10 * kMs);
  p.run([] {});
  CHECK(ran.get() == 1);
  bench.finish();
}

TEST_CASE("a slow strand gets one tick for the periods that it missed") {
  Bench bench;
  Plugin p = bench.plugin("p");
  Counter ticks;
  p.run([&] {
    p.exec->timer_start(p.host, kMs, kMs, 0, closure([&] { ticks.add(); }));
    bench.clock.advance(50 * kMs);
  });
  p.run([] {});
  CHECK(ticks.get() == 1);
  bench.clock.advance(kMs);
  CHECK(ticks.reaches(2));
  bench.finish();
}

TEST_CASE("timers follow the real clock when nobody drives it by hand") {
  Runtime runtime;
  Plugin p(runtime.create_host(HostOptions{"p", 1, false, false}));
  const std::int64_t begin = p.exec->monotonic_ns(p.host);
  Counter fired;
  p.exec->timer_start(p.host, 3600'000 * kMs, 0, 0, closure([] {}));
  p.exec->timer_start(p.host, 20 * kMs, 0, 0, closure([&] { fired.add(); }));
  REQUIRE(fired.reaches(1));
  CHECK(p.exec->monotonic_ns(p.host) - begin >= 20 * kMs);
  CHECK(p.exec->wall_ns(p.host) > 1'600'000'000'000'000'000);
}

TEST_CASE("the context can be carried to a thread of the plugin's own") {
  Bench bench;
  Plugin p = bench.plugin("p");
  gantry_context* carried = nullptr;
  std::uint64_t hi = 0, lo = 0, span = 0;
  p.subscribe("test.e/1", [&](const std::string&, const gantry_envelope&) {
    carried = p.exec->context_current(p.host);
    p.exec->context_trace(carried, &hi, &lo, &span);
  });
  p.publish("test.e/1", "1");
  p.run([] {});
  REQUIRE(carried != nullptr);
  CHECK((hi | lo) != 0);
  std::thread thread([&] {
    gantry_context* root = p.exec->context_current(p.host);
    CHECK(p.exec->context_deadline_ns(root) == INT64_MAX);
    CHECK(p.exec->context_cancelled(root) == 0);
    p.exec->context_release(root);
    gantry_context* previous = p.exec->context_enter(p.host, carried);
    gantry_context* now = p.exec->context_current(p.host);
    std::uint64_t now_hi = 0;
    p.exec->context_trace(now, &now_hi, nullptr, nullptr);
    CHECK(now_hi == hi);
    p.exec->context_release(now);
    p.exec->context_enter(p.host, previous);
  });
  thread.join();
  p.exec->context_release(carried);
  bench.finish();
}
