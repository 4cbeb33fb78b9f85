// SPDX-License-Identifier: Apache-2.0
#include "exec/blocking.hpp"
#include "exec/clock.hpp"
#include "exec/parker.hpp"

#include <catch2/catch.hpp>

#include <atomic>
#include <cerrno>
#include <functional>
#include <system_error>
#include <thread>

using namespace gantry::kernel;

namespace {

constexpr std::int64_t kLongNs = 3'600'000'000'000;

std::int64_t now_ns() { return SystemClock::instance().monotonic_ns(); }

struct Work final : Item {
  explicit Work(std::function<void()> what) : work(std::move(what)) {}
  void run() override { work(); }
  void drop() override { ++dropped; }
  std::function<void()> work;
  std::atomic<int> dropped{0};
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
  CHECK_FALSE(parker.park_until(-1));  // refused by the kernel: no time to wait for

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

TEST_CASE("without a thread to be had, all that wait for one are dropped") {
  std::atomic<int> trying{0};
  const auto both_fail = [&](const std::function<void()>&) {
    ++trying;
    while (trying != 2) std::this_thread::yield();
    throw std::system_error(EAGAIN, std::generic_category());
  };
  BlockingPool pool("test-block", 4, kLongNs, both_fail);
  Work first([] {}), second([] {});
  std::thread other([&] { pool.submit(first); });
  pool.submit(second);
  other.join();
  CHECK(first.dropped == 1);
  CHECK(second.dropped == 1);
  CHECK(pool.stats().queued == 0);
  CHECK(pool.stats().threads == 0);
  CHECK(pool.stats().started_threads == 0);
}

TEST_CASE("a thread that cannot be had does not hold up the end of its pool") {
  std::atomic<bool> trying{false}, give_up{false};
  const auto fail = [&](const std::function<void()>&) {
    trying = true;
    while (!give_up) std::this_thread::yield();
    throw std::system_error(EAGAIN, std::generic_category());
  };
  BlockingPool pool("test-block", 4, kLongNs, fail);
  Work work([] {});
  std::thread submitter([&] { pool.submit(work); });
  while (!trying) std::this_thread::yield();
  std::thread stopper([&] { pool.stop(); });
  while (!pool.stats().stopping) std::this_thread::yield();  // seen under its lock: it waits
  give_up = true;
  stopper.join();
  submitter.join();
  CHECK(work.dropped == 1);
}
