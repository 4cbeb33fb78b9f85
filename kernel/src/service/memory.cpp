// SPDX-License-Identifier: Apache-2.0
#include "service/memory.hpp"

#include <malloc.h>

#include <atomic>
#include <gantry/huge_pages.hpp>

namespace gantry::service {
namespace {

/// Whether two readings differ by more than the noise of an idle process (log lines, timers).
bool moved(std::size_t before, std::size_t now) {
  const std::size_t distance = before > now ? before - now : now - before;
  return distance > std::size_t{64} * 1024;
}

std::atomic<bool> small_pages_wanted = false;

}  // namespace

void bound_allocator() {
  constexpr int kThreshold = 1 << 20;
  mallopt(M_MMAP_THRESHOLD, kThreshold);
  mallopt(M_TRIM_THRESHOLD, kThreshold);
}

void do_without_huge_pages() {
  small_pages_wanted = true;
  UsualHugePages::allow(false);
}

bool MemoryTrimmer::run() {
  // Two programs that were started in the same instant may have left it allowed.
  if (small_pages_wanted) UsualHugePages::allow(false);
  return run([] { malloc_trim(0); });
}

bool MemoryTrimmer::run(const std::function<void()>& trim) {
  const struct mallinfo2 now = mallinfo2();
  const bool changed = moved(heap_, now.arena + now.hblkhd) || moved(used_, now.uordblks);
  if (!changed || now.fordblks < kWorthwhile) return false;
  // What is freed while this trims may be in an arena that was passed already. Remembering how it
  // was before, not after, makes the next run look again.
  heap_ = now.arena + now.hblkhd;
  used_ = now.uordblks;
  trim();
  return true;
}

}  // namespace gantry::service
