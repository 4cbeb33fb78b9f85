// SPDX-License-Identifier: Apache-2.0
#include "bus_fixture.hpp"

#include <catch2/catch.hpp>

#include <atomic>
#include <set>
#include <thread>

using namespace gantry::kernel;
using namespace gantry::kernel::test;

TEST_CASE("posts run one at a time and in order per lane") {
  Bench bench(RuntimeOptions{4});
  Plugin p = bench.plugin("p");
  constexpr int kThreads = 4, kEach = 2000;
  std::atomic<int> inside{0}, overlaps{0}, disorder{0};
  std::array<int, kThreads> next{};
  Counter ran;
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < kEach; ++i) {
        p.exec->post(p.host, 0, GANTRY_LANE_INTERACTIVE, closure([&, t, i] {
                       if (inside.fetch_add(1) != 0) ++overlaps;
                       if (next[static_cast<std::size_t>(t)]++ != i) ++disorder;
                       inside.fetch_sub(1);
                       ran.add();
                     }));
      }
    });
  }
  for (auto& thread : threads) thread.join();
  CHECK(ran.reaches(kThreads * kEach));
  CHECK(overlaps == 0);
  CHECK(disorder == 0);
  bench.finish();
}

TEST_CASE("the control lane overtakes what is queued in the same strand") {
  Bench bench;
  Plugin p = bench.plugin("p");
  Counter inside, leave;
  Journal journal;
  p.exec->post(p.host, 0, GANTRY_LANE_INTERACTIVE, closure([&] {
                 inside.add();
                 leave.reaches(1);
               }));
  REQUIRE(inside.reaches(1));
  p.exec->post(p.host, 0, GANTRY_LANE_BULK, closure([&] { journal.add("bulk"); }));
  p.exec->post(p.host, 0, GANTRY_LANE_INTERACTIVE, closure([&] { journal.add("interactive"); }));
  p.exec->post(p.host, 0, GANTRY_LANE_CONTROL, closure([&] { journal.add("control"); }));
  leave.add();
  CHECK(journal.after(3) == std::vector<std::string>{"control", "interactive", "bulk"});
  bench.finish();
}

TEST_CASE("control work runs while every worker is busy") {
  Bench bench(RuntimeOptions{2});
  Plugin a = bench.plugin("a"), b = bench.plugin("b"), c = bench.plugin("c");
  Counter inside, leave, control, ordinary;
  for (Plugin* p : {&a, &b}) {
    p->exec->post(p->host, 0, GANTRY_LANE_INTERACTIVE, closure([&] {
                    inside.add();
                    leave.reaches(1);
                  }));
  }
  REQUIRE(inside.reaches(2));
  c.exec->post(c.host, 0, GANTRY_LANE_INTERACTIVE, closure([&] { ordinary.add(); }));
  c.exec->post(c.host, 0, GANTRY_LANE_CONTROL, closure([&] { control.add(); }));
  CHECK(control.reaches(1));
  CHECK(ordinary.get() == 0);
  leave.add();
  CHECK(ordinary.reaches(1));
  bench.finish();
}

TEST_CASE("bulk work is not starved by interactive work") {
  Counter bulk;
  std::atomic<bool> stop{false};
  std::function<void()> again;
  Bench bench(RuntimeOptions{2});
  Plugin p = bench.plugin("p");
  again = [&] {
    if (!stop) p.exec->post(p.host, 0, GANTRY_LANE_INTERACTIVE, closure([&] { again(); }));
  };
  // Two self-renewing chains: the interactive lane is never empty.
  p.run(again);
  p.run(again);
  p.exec->post(p.host, 0, GANTRY_LANE_BULK, closure([&] { bulk.add(); }));
  CHECK(bulk.reaches(1));
  stop = true;
  CHECK(bench.close(p).clean);
  bench.finish();
}

TEST_CASE("work posted from a handler is taken over when the handler runs long") {
  Bench bench(RuntimeOptions{2});
  Plugin a = bench.plugin("a"), b = bench.plugin("b");
  Counter other;
  bool in_time = false;
  a.run([&] {
    b.exec->post(b.host, 0, GANTRY_LANE_INTERACTIVE, closure([&] { other.add(); }));
    in_time = other.reaches(1);  // this handler does not return before the other strand ran
  });
  CHECK(in_time);
  CHECK(bench.runtime.exec().pool().stats().rescued >= 1);
  bench.finish();
}

TEST_CASE("a strand that a long handler keeps posting to is passed on at once") {
  Bench bench(RuntimeOptions{2});
  Plugin a = bench.plugin("a"), b = bench.plugin("b");
  Counter other;
  int posted = 0;
  const auto passed = [&] { return bench.runtime.exec().pool().stats().passed; };
  // The watch takes the strand first when this handler loses its core for a millisecond meanwhile.
  for (int attempt = 0; attempt < 100 && passed() == 0; ++attempt) {
    bool in_time = false;
    a.run([&] {
      for (int i = 0; i < 64; ++i, ++posted) {
        b.exec->post(b.host, 0, GANTRY_LANE_INTERACTIVE, closure([&] { other.add(); }));
      }
      in_time = other.reaches(posted);  // this handler does not return before the other strand ran
    });
    REQUIRE(in_time);
  }
  CHECK(passed() >= 1);
  bench.finish();
}

TEST_CASE("a message that passes through several plugins wakes one worker") {
  Bench bench(RuntimeOptions{2});
  Plugin client = bench.plugin("client"), a = bench.plugin("a"), b = bench.plugin("b");
  b.serve_now("test.inner/1", [](const std::string& request) { return request; });
  a.serve("test.outer/1", [&](gantry_incoming* call, const std::string& request,
                              const gantry_envelope&) {
    a.call("test.inner/1", request, [&a, call](const Answer& got) { a.answer(call, got.body); });
  });
  constexpr std::uint64_t kMessages = 200;
  gantry_call_options options{};
  options.lane = GANTRY_LANE_INTERACTIVE;
  options.size = sizeof options;
  options.flags = GANTRY_CALL_COMPLETE_INLINE;
  const PoolStats before = bench.runtime.exec().pool().stats();
  for (std::uint64_t i = 0; i < kMessages; ++i) {
    REQUIRE(client.ask("test.outer/1", "1", options).body == "1");
  }
  const PoolStats after = bench.runtime.exec().pool().stats();
  // A worker that was preempted for a millisecond may lose its next strand to another one.
  CHECK(after.wakes - before.wakes <= kMessages + (after.rescued - before.rescued));
  bench.finish();
}

TEST_CASE("work from outside is left to a worker that runs short items") {
  Bench bench(RuntimeOptions{2});
  Plugin a = bench.plugin("a"), b = bench.plugin("b");
  std::atomic<bool> stop{false};
  std::function<void()> again = [&] {
    if (!stop) a.exec->post(a.host, 0, GANTRY_LANE_INTERACTIVE, closure([&] { again(); }));
  };
  a.run(again);
  Counter other;
  const auto left = [&] { return bench.runtime.exec().pool().stats().left; };
  // A worker that was put off its core is not counted on, so it may take some attempts.
  for (int i = 0; i < 100'000 && left() == 0; ++i) {
    b.exec->post(b.host, 0, GANTRY_LANE_INTERACTIVE, closure([&] { other.add(); }));
    REQUIRE(other.reaches(i + 1));
  }
  CHECK(left() >= 1);
  stop = true;
  CHECK(bench.close(a).clean);
  bench.finish();
}

TEST_CASE("work left to a worker whose item then runs long is taken over") {
  Bench bench(RuntimeOptions{2});
  Plugin b = bench.plugin("b");
  const auto left = [&] { return bench.runtime.exec().pool().stats().left; };
  Counter inside, other, done;
  std::atomic<bool> in_time{true};
  for (int i = 0; i < 1'000 && left() == 0; ++i) {
    Plugin a = bench.plugin("a" + std::to_string(i));  // nobody knows yet that it is slow
    a.exec->post(a.host, 0, GANTRY_LANE_INTERACTIVE, closure([&, i] {
                   inside.add();
                   in_time = other.reaches(i + 1);  // it does not return before the other ran
                   done.add();
                 }));
    REQUIRE(inside.reaches(i + 1));
    b.exec->post(b.host, 0, GANTRY_LANE_INTERACTIVE, closure([&] { other.add(); }));
    REQUIRE(done.reaches(i + 1));
    REQUIRE(in_time);
  }
  CHECK(left() >= 1);
  bench.finish();
}

TEST_CASE("a strand whose items take long is known for it, and forgiven") {
  Exec exec{RuntimeOptions{1}};
  Strand strand(exec.pool(), false);
  constexpr std::int64_t kLong = 20'000'000;
  CHECK(strand.quick());
  strand.took(kLong);
  CHECK(strand.quick());  // it may have been put off its core
  strand.took(kLong);
  CHECK_FALSE(strand.quick());
  for (int i = 0; i < 16; ++i) strand.took(1'000);
  CHECK(strand.quick());
  exec.stop();
}

TEST_CASE("a strand with much to do ends its turn for one that waits") {
  Bench bench(RuntimeOptions{1});
  Plugin a = bench.plugin("a"), b = bench.plugin("b");
  Counter inside, leave;
  Journal journal;
  const auto long_item = [&] {
    const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(1);
    while (std::chrono::steady_clock::now() < until) {
    }
    journal.add("a");
  };
  a.exec->post(a.host, 0, GANTRY_LANE_INTERACTIVE, closure([&] {
                 inside.add();
                 leave.reaches(1);
                 long_item();
               }));
  REQUIRE(inside.reaches(1));
  for (int i = 0; i < 8; ++i) {
    a.exec->post(a.host, 0, GANTRY_LANE_INTERACTIVE, closure(long_item));
  }
  b.exec->post(b.host, 0, GANTRY_LANE_INTERACTIVE, closure([&] { journal.add("b"); }));
  leave.add();
  const std::vector<std::string> ran = journal.after(10);
  CHECK(ran.size() == 10);
  CHECK(ran.at(1) == "b");
  bench.finish();
}

TEST_CASE("a dedicated strand has a thread of its own where waiting is allowed") {
  Bench bench;
  Plugin p = bench.plugin(HostOptions{"own", 1, true, false});
  std::set<std::thread::id> threads;
  for (int i = 0; i < 10; ++i) {
    p.run([&] {
      threads.insert(std::this_thread::get_id());
      CHECK(p.exec->may_block(p.host) == 1);
    });
  }
  CHECK(threads.size() == 1);
  CHECK(bench.close(p).clean);
  bench.finish();
}

TEST_CASE("life-cycle code may wait, keeps the strand, and does not occupy a worker") {
  Counter inside, leave, done, allowed;
  Bench bench(RuntimeOptions{2});
  for (int i = 0; i < 4; ++i) {
    Plugin plugin = bench.plugin(HostOptions{"p" + std::to_string(i), 1, false, true});
    bench.runtime.run_on_strand(*plugin.host, [&, plugin] {
      allowed.add(plugin.exec->may_block(plugin.host));
      inside.add();
      leave.reaches(1);
      done.add();
    });
  }
  // Four life cycles wait at once with two workers, which still serve others.
  CHECK(inside.reaches(4));
  Plugin other = bench.plugin("other");
  other.run([] {});
  leave.add();
  CHECK(done.reaches(4));
  CHECK(allowed.get() == 4);
  bench.finish();
}

TEST_CASE("a plugin that fills the blocking pool holds up nobody's start or stop") {
  RuntimeOptions options;
  options.max_blocking = 2;
  Bench bench(options);
  Plugin greedy = bench.plugin("greedy");
  Counter inside, leave, started, stopped;
  for (int i = 0; i < 8; ++i) {
    greedy.exec->blocking(greedy.host, closure([&] {
                            inside.add();
                            leave.reaches(1);
                          }));
  }
  REQUIRE(inside.reaches(2));
  Plugin other = bench.plugin(HostOptions{"other", 1, false, true});
  bench.runtime.run_on_strand(*other.host, [&] { started.add(); });
  CHECK(started.reaches(1));
  bench.runtime.run_on_strand(*other.host, [&] { stopped.add(); });
  CHECK(stopped.reaches(1));
  CHECK(bench.close(other).clean);
  leave.add();
  bench.finish();
}

TEST_CASE("a held plugin's work waits for release and then runs in order") {
  Bench bench;
  Plugin p = bench.plugin(HostOptions{"held", 1, false, true});
  Journal journal;
  Counter started;
  for (const char* text : {"1", "2"}) {
    p.exec->post(p.host, 0, GANTRY_LANE_INTERACTIVE, closure([&, text] { journal.add(text); }));
  }
  bench.runtime.run_on_strand(*p.host, [&] {
    journal.add("start");
    started.add();
  });
  REQUIRE(started.reaches(1));
  CHECK(journal.now() == std::vector<std::string>{"start"});
  bench.runtime.release(*p.host);
  CHECK(journal.after(3) == std::vector<std::string>{"start", "1", "2"});
  bench.finish();
}

TEST_CASE("the blocking pool is bounded and its idle threads end") {
  RuntimeOptions options;
  options.max_blocking = 3;
  options.blocking_idle_ns = 1;
  Bench bench(options);
  Plugin p = bench.plugin("p");
  Counter inside, leave, done;
  std::atomic<int> now{0}, most{0};
  for (int i = 0; i < 10; ++i) {
    p.exec->blocking(p.host, closure([&] {
                       const int running = ++now;
                       int seen = most;
                       while (seen < running && !most.compare_exchange_weak(seen, running)) {
                       }
                       inside.add();
                       leave.reaches(1);
                       --now;
                       done.add();
                     }));
  }
  CHECK(inside.reaches(3));
  CHECK(inside.get() == 3);
  leave.add();
  CHECK(done.reaches(10));
  CHECK(most == 3);
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (bench.runtime.exec().pool().blocking().stats().threads != 0 &&
         std::chrono::steady_clock::now() < deadline) {
    std::this_thread::yield();
  }
  CHECK(bench.runtime.exec().pool().blocking().stats().threads == 0);
  bench.finish();
}

TEST_CASE("close drops what is queued and waits for what runs") {
  Bench bench;
  Plugin p = bench.plugin("p");
  Counter inside, leave, ran, dropped;
  const auto counted = [&](auto work) {
    return closure(
        [work, guard = std::shared_ptr<void>(nullptr, [&](void*) { dropped.add(); })] { work(); });
  };
  p.exec->post(p.host, 0, GANTRY_LANE_INTERACTIVE, counted([&] {
                 inside.add();
                 leave.reaches(1);
               }));
  REQUIRE(inside.reaches(1));
  for (std::uint32_t lane : {0u, 1u, 2u})
    p.exec->post(p.host, 0, lane, counted([&] { ran.add(); }));
  const CloseReport late = bench.runtime.close(*p.host, SystemClock::instance().monotonic_ns());
  CHECK_FALSE(late.clean);
  CHECK(late.stuck == "a handler on 1 strand(s)");
  leave.add();
  CHECK(bench.close(p).clean);
  CHECK(ran.get() == 0);
  CHECK(dropped.get() == 4);
  p.exec->post(p.host, 0, GANTRY_LANE_INTERACTIVE, counted([&] { ran.add(); }));
  p.exec->blocking(p.host, counted([&] { ran.add(); }));
  CHECK(p.exec->timer_start(p.host, 0, 0, 0, counted([&] { ran.add(); })) == 0);
  CHECK(dropped.reaches(7));
  CHECK(ran.get() == 0);
  bench.finish();
}
