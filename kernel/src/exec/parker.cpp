// SPDX-License-Identifier: Apache-2.0
#include "exec/parker.hpp"

#if defined(__linux__)
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>
#else
#include <chrono>
#endif

namespace gantry::kernel {

#if defined(__linux__)

namespace {
constexpr std::int64_t kNsInSecond = 1'000'000'000;

// Until `word` is no longer 1; false: `until`, of CLOCK_MONOTONIC, was there first, or the kernel
// does not wait for such a time.
bool wait_while_one(const std::atomic<std::uint32_t>& word, const timespec* until) {
  static_assert(sizeof(word) == 4);
  while (word.load(std::memory_order_acquire) == 1) {
    // Returns at once when the word is no longer 1, so a wake() in between is not lost.
    const long result = syscall(SYS_futex, &word, FUTEX_WAIT_BITSET_PRIVATE, 1, until, nullptr,
                                FUTEX_BITSET_MATCH_ANY);
    const bool again = result == 0 || errno == EINTR || errno == EAGAIN;
    if (!again) return word.load(std::memory_order_acquire) != 1;
  }
  return true;
}
}  // namespace

// Without a time nothing but wake() ends it, or a sleeper would run while it is taken for idle.
void Parker::park() {
  while (!wait_while_one(asleep_, nullptr)) {
  }
}

bool Parker::park_until(std::int64_t monotonic_ns) {
  const timespec until{monotonic_ns / kNsInSecond, monotonic_ns % kNsInSecond};
  return wait_while_one(asleep_, &until);
}

void Parker::wake() {
  asleep_.store(0, std::memory_order_release);
  syscall(SYS_futex, &asleep_, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
}

#else

void Parker::park() {
  std::unique_lock lock(mutex_);
  woken_.wait(lock, [this] { return asleep_.load(std::memory_order_acquire) == 0; });
}

bool Parker::park_until(std::int64_t monotonic_ns) {
  const std::chrono::steady_clock::time_point until{std::chrono::nanoseconds(monotonic_ns)};
  std::unique_lock lock(mutex_);
  return woken_.wait_until(lock, until,
                           [this] { return asleep_.load(std::memory_order_acquire) == 0; });
}

void Parker::wake() {
  std::lock_guard lock(mutex_);
  asleep_.store(0, std::memory_order_release);
  woken_.notify_one();
}

#endif

}  // namespace gantry::kernel
