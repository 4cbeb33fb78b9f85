// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

#if !defined(__linux__)
#include <condition_variable>
#include <mutex>
#endif

namespace gantry::kernel {

// Puts one thread to sleep until another wakes it.
//
// Not std::atomic::wait: libstdc++ 12 yields a few times before it sleeps, and on a busy machine a
// yield gives away a whole time slice, during which the thread can be woken by nobody (measured:
// 7 ms instead of 4 us per hop beside two compilers).
class Parker {
 public:
  // Before the thread makes itself known as idle. [thread: the sleeper]
  void prepare() { asleep_.store(1, std::memory_order_relaxed); }
  // Sleeps unless wake() came since prepare(). [thread: the sleeper]
  void park();
  // The same until CLOCK_MONOTONIC is there, at once for a time before its start; false: wake() has
  // not come by then, and still may.
  // [thread: the sleeper]
  bool park_until(std::int64_t monotonic_ns);
  // The caller need not hold the lock under which it found the sleeper, and the parker may be gone
  // as soon as park() has returned or park_until() has returned true.
  // [thread: any, once per prepare()]
  void wake();

 private:
  std::atomic<std::uint32_t> asleep_{0};
#if !defined(__linux__)
  std::mutex mutex_;
  std::condition_variable woken_;
#endif
};

}  // namespace gantry::kernel
