// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>

namespace gantry::service {

/// Keeps glibc from learning to hold on to memory: after one screenshot its thresholds would grow
/// to tens of megabytes, and an arena's top is given back only above them (malloc_trim() does not
/// touch the top of a thread's arena; measured 22 MB held by 44 kB in use). Call it once, before
/// threads.
void bound_allocator();

/// Keeps what is mapped now for malloc() and for stacks in small pages. Where huge pages are always
/// used, as on Debian, the system fills what was given back again: one page in use brings 2 MiB
/// back (docs/decisions/0008). What is mapped later, such as the memory of a large picture, may be
/// huge.
void keep_pages_small();

/// Gives freed memory back to the system. A screenshot or a big tree leaves tens of megabytes of
/// free pages in the allocator's arenas, which glibc keeps for ever; an idle daemon should not hold
/// them. One object, called now and then from one thread that may take some milliseconds.
class MemoryTrimmer {
 public:
  /// Trims when the heap changed since the last time and at least `kWorthwhile` bytes lie free.
  /// Returns whether it did.
  bool run();
  /// The same with another way to give memory back.
  bool run(const std::function<void()>& trim);

  static constexpr std::size_t kWorthwhile = std::size_t{1} << 20;

 private:
  std::size_t heap_ = 0;  ///< bytes from the system at the last look
  std::size_t used_ = 0;  ///< of them in use
};

}  // namespace gantry::service
