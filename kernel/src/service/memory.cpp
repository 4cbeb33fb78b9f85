// SPDX-License-Identifier: Apache-2.0
#include "service/memory.hpp"

#include <malloc.h>

namespace gantry::service {
namespace {

/// Whether two readings differ by more than the noise of an idle process (log lines, timers).
bool moved(std::size_t before, std::size_t now) {
  const std::size_t distance = before > now ? before - now : now - before;
  return distance > std::size_t{64} * 1024;
}

}  // namespace

void bound_allocator() {
  constexpr int kThreshold = 1 << 20;
  mallopt(M_MMAP_THRESHOLD, kThreshold);
  mallopt(M_TRIM_THRESHOLD, kThreshold);
}

bool MemoryTrimmer::run() {
  const struct mallinfo2 now = mallinfo2();
  const bool changed = moved(heap_, now.arena + now.hblkhd) || moved(used_, now.uordblks);
  if (!changed || now.fordblks < kWorthwhile) return false;
  malloc_trim(0);
  const struct mallinfo2 after = mallinfo2();
  heap_ = after.arena + after.hblkhd;
  used_ = after.uordblks;
  return true;
}

}  // namespace gantry::service
