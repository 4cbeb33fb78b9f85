// SPDX-License-Identifier: Apache-2.0
#include "exec/blocking.hpp"
#include "exec/clock.hpp"
#include "exec/parker.hpp"

#include <catch2/catch.hpp>

#include <atomic>
#include <functional>
#include <thread>

using namespace gantry::kernel;

namespace {

constexpr std::int64_t kLongNs = 3'600'000'000'000;

std::int64_t now_ns() { return SystemClock::instance().monotonic_ns(); }

struct Work final : Item {
  explicit Work(std::function<void()> what) : work(std::move(what)) {}
  void run() override { work(); }
  void drop() override {}
  std::function<void()> work;
};

void wait_for_idle(const BlockingPool& pool, unsigned threads) {
  while (pool.stats().idle != threads) std::this_thread::yield();
}

}  // namespace

TEST_CASE("a parked thread is woken once, or gives up at its time") {
  Parker parker;
  parker.prepare();
  CHECK_FALSE(parker.park_until(now_ns() - 1));
  parker.wake();  // after the sleeper gave up: it is told when it asks again
  CHECK(parker.park_until(now_ns() + kLongNs));
  parker.park();

  parker.prepare();
  std::thread waker([&] { parker.wake(); });
  CHECK(parker.park_until(now_ns() + kLongNs));
  waker.join();
}

TEST_CASE("the blocking thread that went idle last gets the next item") {
  BlockingPool pool("test-block", 2, kLongNs);
  std::atomic<bool> leave_first{false}, leave_second{false};
  std::thread::id second_thread, third_thread;
  Work first([&] { leave_first.wait(false); });
  Work second([&] {
    second_thread = std::this_thread::get_id();
    leave_second.wait(false);
  });
  Work third([&] { third_thread = std::this_thread::get_id(); });
  pool.submit(first);
  pool.submit(second);
  leave_first = true;
  leave_first.notify_one();
  wait_for_idle(pool, 1);
  leave_second = true;
  leave_second.notify_one();
  wait_for_idle(pool, 2);
  pool.submit(third);
  pool.stop();
  CHECK(third_thread == second_thread);
  CHECK(pool.stats().started_threads == 2);
}
