// SPDX-License-Identifier: Apache-2.0
//
// Everything at once from many threads, for the sanitizers: what must hold is that each call
// completes exactly once, each user is dropped exactly once, and a close is clean.
#include "bus_fixture.hpp"

#include <catch2/catch.hpp>

#include <array>
#include <atomic>
#include <deque>
#include <random>
#include <thread>

using namespace gantry::kernel;
using namespace gantry::kernel::test;

namespace {
constexpr int kThreads = 4;

/// A number below `n`.
class Dice {
 public:
  explicit Dice(int seed) : engine_(static_cast<unsigned>(seed)) {}
  std::uint32_t operator()(std::uint32_t n) { return static_cast<std::uint32_t>(engine_() % n); }

 private:
  std::mt19937 engine_;
};

template <class F>
void in_threads(F work) {
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  for (int t = 0; t < kThreads; ++t) threads.emplace_back([&work, t] { work(t); });
  for (auto& thread : threads) thread.join();
}
}  // namespace

TEST_CASE("calls complete exactly once under answers, cancels and deadlines at the same time") {
  Bench bench(RuntimeOptions{4});
  Plugin a = bench.plugin("a"), b = bench.plugin(HostOptions{"b", 2, false, false});
  constexpr int kEach = 400;
  std::vector<std::atomic<int>> completions(std::size_t{kThreads} * kEach);
  Counter done;
  b.serve("test.s/1",
          [&](gantry_incoming* call, const std::string& request, const gantry_envelope&) {
            b.bus->incoming_on_cancel(call, closure([] {}));
            switch (std::stoi(request) % 4) {
              case 0: b.answer(call, "1"); break;
              case 1: {
                // The reference goes with the closure, which may be dropped instead of run.
                const auto held = std::shared_ptr<gantry_incoming>(
                    call, [&b](gantry_incoming* owned) { b.bus->incoming_release(owned); });
                b.exec->blocking(b.host, closure([&b, held] {
                                   const BodyRef body = make_json_body("2");
                                   b.bus->complete(held.get(), GANTRY_OK, body.get(), nullptr);
                                 }));
                break;
              }
              case 2:  // a nested call first
                b.call("test.leaf/1", "1", [&b, call](const Answer&) { b.answer(call, "3"); });
                break;
              default: b.bus->incoming_release(call); break;
            }
          });
  Plugin leaf = bench.plugin("leaf");
  leaf.serve_now("test.leaf/1", [](const std::string&) { return "leaf"; });
  a.know("test.s/1", GANTRY_CALL);
  std::atomic<bool> over{false};
  std::thread time([&] {
    while (!over) {
      bench.clock.advance(kMs);
      std::this_thread::yield();
    }
  });
  in_threads([&](int t) {
    Dice random(t);
    for (int i = 0; i < kEach; ++i) {
      const auto index = static_cast<std::size_t>(t) * kEach + static_cast<std::size_t>(i);
      gantry_call_options options{};
      options.size = sizeof options;
      options.lane = random(3);
      options.key = random(5);
      options.timeout_ns = static_cast<std::int64_t>(random(20) + 1) * kMs;
      options.flags = random(2);
      const gantry_handle handle = a.call(
          "test.s/1", std::to_string(i),
          [&, index](const Answer&) {
            ++completions[index];
            done.add();
          },
          options);
      if (random(3) == 0) a.bus->cancel(a.host, handle);
    }
  });
  CHECK(done.reaches(kThreads * kEach));
  over = true;
  time.join();
  CHECK(bench.close(a).clean);
  CHECK(bench.close(b).clean);
  int wrong = 0;
  for (const auto& count : completions) wrong += count == 1 ? 0 : 1;
  CHECK(wrong == 0);
  CHECK(bench.runtime.exec().timers().armed() == 0);
  bench.finish();
}

TEST_CASE("calls and timers begun while their plugin closes leave nothing armed and nothing late") {
  for (int round = 0; round < 100; ++round) {
    // Before the bench: a call that is begun during the close completes when the runtime ends.
    std::atomic<bool> closing{false}, closed{false};
    struct Made {
      std::atomic<bool> in_time{false};  // begun before the close
      std::atomic<bool> late{false};     // completed after it
    };
    std::array<std::deque<Made>, kThreads> made;
    Bench bench(RuntimeOptions{4});
    Plugin a = bench.plugin("a"), b = bench.plugin("b");
    b.serve_now("test.c/1", [](const std::string&) { return "1"; });
    a.know("test.c/1", GANTRY_CALL);
    Counter begun;
    std::thread closer([&] {
      begun.reaches(20);
      closing = true;
      CHECK(bench.close(a).clean);
      closed = true;
    });
    in_threads([&](int t) {
      for (int i = 0; i < 5000 && !closed; ++i) {
        begun.add();
        if (t % 2 != 0) {
          a.exec->timer_start(a.host, kMs, 0, 0, closure([] {}));
          continue;
        }
        Made& call = made[static_cast<std::size_t>(t)].emplace_back();
        try {
          a.call("test.c/1", "1", [&](const Answer&) { call.late = closed.load(); });
          call.in_time = !closing;
        } catch (const std::runtime_error&) {  // refused: it closes
          break;
        }
      }
    });
    closer.join();
    CHECK(bench.runtime.exec().timers().armed() == 0);
    bool late = false;
    for (const auto& calls : made) {
      for (const Made& call : calls) late = late || (call.in_time && call.late);
    }
    CHECK_FALSE(late);
    CHECK(bench.close(b).clean);  // what was begun during the close may still be answered
  }
}

TEST_CASE("subscriptions come and go while events are published") {
  Bench bench(RuntimeOptions{4});
  Plugin a = bench.plugin("a"), b = bench.plugin(HostOptions{"b", 3, false, false});
  a.know("test.e/1", GANTRY_EVENT);
  Counter dropped;
  std::atomic<int> subscribed{0};
  in_threads([&](int t) {
    Dice random(t);
    for (int i = 0; i < 300; ++i) {
      gantry_subscribe_options options{sizeof options, 4, random(4), 0};
      ++subscribed;
      const gantry_handle handle = b.subscribe(
          "test.e/1", [](const std::string&, const gantry_envelope&) {}, options, &dropped);
      for (int n = 0; n < 10; ++n) {
        a.publish("test.e/1", "1",
                  gantry_send_options{sizeof(gantry_send_options), random(3), 0, random(4)});
      }
      b.bus->unsubscribe(b.host, handle);
    }
  });
  CHECK(dropped.reaches(subscribed));
  CHECK(bench.close(b).clean);
  CHECK(dropped.get() == subscribed);
  bench.finish();
}

TEST_CASE("plugins close while they are called, published to and streamed to") {
  for (int round = 0; round < 15; ++round) {
    Bench bench(RuntimeOptions{4});
    Plugin a = bench.plugin("a"), b = bench.plugin("b");
    Counter made, completed, dropped;
    b.serve(
        "test.c/1",
        [&](gantry_incoming* call, const std::string&, const gantry_envelope&) {
          b.answer(call, "1");
        },
        &dropped);
    b.subscribe(
        "test.e/1", [](const std::string&, const gantry_envelope&) {}, {}, &dropped);
    b.know("test.s/1", GANTRY_STREAM);
    b.bus->serve_stream(
        b.host, fnv1a("test.s/1"),
        [](void* user, gantry_stream* stream, const gantry_body*, const gantry_envelope*) {
          gantry_stream_events events{};
          events.size = sizeof events;
          events.on_chunk = [](void*, const gantry_body*) {};
          static_cast<Plugin*>(user)->bus->stream_accept(stream, nullptr, &events, nullptr);
          static_cast<Plugin*>(user)->bus->stream_release(stream);
        },
        &b, nullptr, nullptr);
    for (const char* name : {"test.c/1"}) a.know(name, GANTRY_CALL);
    a.know("test.e/1", GANTRY_EVENT);
    a.know("test.s/1", GANTRY_STREAM);
    std::atomic<int> ends{0}, opened{0};
    std::thread closer([&] {
      completed.reaches(50);
      CHECK(bench.close(b).clean);
    });
    in_threads([&](int t) {
      for (int i = 0; i < 200; ++i) {
        if (t % 2 == 0) {
          made.add();
          a.call("test.c/1", "1", [&](const Answer&) { completed.add(); });
          a.publish("test.e/1", "1");
          continue;
        }
        gantry_stream_events events{};
        events.size = sizeof events;
        events.drop = [](void* user) { ++*static_cast<std::atomic<int>*>(user); };
        gantry_stream* stream = nullptr;
        const BodyRef body = make_json_body("1");
        if (a.bus->open_stream(a.host, fnv1a("test.s/1"), body.get(), nullptr, &events, &ends,
                               &stream, nullptr) != GANTRY_OK) {
          continue;
        }
        ++opened;
        for (int n = 0; n < 3; ++n) a.bus->stream_send(stream, body.get());
        a.bus->stream_close(stream, GANTRY_OK, nullptr);
        a.bus->stream_release(stream);
      }
    });
    closer.join();
    CHECK(completed.reaches(made.get()));
    CHECK(bench.close(a).clean);
    CHECK(completed.get() == made.get());
    CHECK(ends == opened);
    CHECK(dropped.get() == 2);
    bench.finish();
  }
}

TEST_CASE("timers are started and cancelled from everywhere while time passes") {
  Bench bench(RuntimeOptions{4});
  Plugin p = bench.plugin(HostOptions{"p", 2, false, false});
  Counter dropped;
  std::atomic<bool> over{false};
  std::thread time([&] {
    while (!over) {
      bench.clock.advance(kMs);
      std::this_thread::yield();
    }
  });
  constexpr int kEach = 500;
  in_threads([&](int t) {
    Dice random(t);
    for (int i = 0; i < kEach; ++i) {
      const bool periodic = random(2) == 0;
      const std::uint64_t id = p.exec->timer_start(
          p.host, static_cast<std::int64_t>(random(5)) * kMs, periodic ? kMs : 0, random(4),
          closure([guard = std::shared_ptr<void>(nullptr, [&](void*) { dropped.add(); })] {}));
      if (periodic || random(2) == 0) p.exec->timer_cancel(p.host, id);
    }
  });
  CHECK(dropped.reaches(kThreads * kEach));
  over = true;
  time.join();
  CHECK(bench.close(p).clean);
  CHECK(dropped.get() == kThreads * kEach);
  CHECK(bench.runtime.exec().timers().armed() == 0);
  bench.finish();
}
