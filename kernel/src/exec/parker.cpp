// SPDX-License-Identifier: Apache-2.0
#include "exec/parker.hpp"

#if defined(__linux__)
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace gantry::kernel {

#if defined(__linux__)

void Parker::park() {
  static_assert(sizeof(asleep_) == 4);
  while (asleep_.load(std::memory_order_acquire) == 1) {
    // Returns at once when the word is no longer 1, so a wake() in between is not lost.
    syscall(SYS_futex, &asleep_, FUTEX_WAIT_PRIVATE, 1, nullptr, nullptr, 0);
  }
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

void Parker::wake() {
  std::lock_guard lock(mutex_);
  asleep_.store(0, std::memory_order_release);
  woken_.notify_one();
}

#endif

}  // namespace gantry::kernel
