// SPDX-License-Identifier: Apache-2.0
#include "exec/lookout.hpp"

#include <algorithm>

namespace gantry::kernel {

namespace {
constexpr std::int64_t kFirstLookNs = 10'000;
constexpr int kPausesPerClock = 16;  // about a microsecond
// A look that stood still for so long was interrupted: others need the processor.
constexpr std::int64_t kInterruptedNs = 25'000;
constexpr std::int64_t kLeaveAloneNs = 10'000'000;

void pause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb" ::: "memory");
#endif
}
}  // namespace

Lookout::Lookout(const Clock& clock, std::int64_t longest_ns)
    : clock_(clock), longest_ns_(longest_ns), look_ns_(longest_ns) {}

bool Lookout::begin(std::int64_t now_ns) {
  if (look_ns_.load(std::memory_order_relaxed) == 0) return false;
  if (now_ns < not_before_ns_.load(std::memory_order_relaxed)) return false;
  RunNode* nobody = nullptr;
  return hand_.compare_exchange_strong(nobody, &empty_);
}

RunNode* Lookout::look(std::int64_t now_ns) {
  const std::int64_t until = now_ns + look_ns_.load(std::memory_order_relaxed);
  std::int64_t before = now_ns;
  for (;;) {
    for (int i = 0; i < kPausesPerClock; ++i) {
      if (hand_.load(std::memory_order_acquire) != &empty_) return end();
      pause();
    }
    const std::int64_t now = clock_.monotonic_ns();
    if (now - before > kInterruptedNs) {
      not_before_ns_.store(now + kLeaveAloneNs, std::memory_order_relaxed);
      return end();
    }
    if (now >= until) return end();
    before = now;
  }
}

RunNode* Lookout::end() {
  RunNode* given = hand_.exchange(nullptr);
  return given != &empty_ ? given : nullptr;
}

bool Lookout::give(RunNode& node) {
  RunNode* empty = &empty_;
  return hand_.load(std::memory_order_relaxed) == empty &&
         hand_.compare_exchange_strong(empty, &node);
}

void Lookout::slept(std::int64_t duration_ns) {
  if (longest_ns_ == 0) return;
  const std::int64_t look = look_ns_.load(std::memory_order_relaxed);
  const std::int64_t next =
      duration_ns > longest_ns_ ? 0 : std::min(longest_ns_, std::max(2 * look, kFirstLookNs));
  if (next != look) look_ns_.store(next, std::memory_order_relaxed);
}

}  // namespace gantry::kernel
