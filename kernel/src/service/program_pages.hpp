// SPDX-License-Identifier: Apache-2.0
//
// Pages of program files. What a start, or one rare call, ran through stays mapped for ever
// although the files hold it; an idle daemon need not. Letting go costs no disk: the pages stay in
// the page cache, and the next use maps them again, sixteen at a time.
#pragma once

#include <chrono>
#include <cstddef>

namespace gantry::service {

/// Lets go of the pages of [from, from + length) that are as the file has them; a page that was
/// written (a relocation, a debugger's breakpoint) is the process's own and stays. `from` is at a
/// page boundary and the range stays mapped meanwhile. Returns the bytes let go; 0 when
/// /proc/self/pagemap cannot be read.
std::size_t release_file_pages(const std::byte* from, std::size_t length);

/// The same for all code and constants of the program and its libraries.
std::size_t release_program_pages();

/// Decides when: after some periods in which the process was idle, once until it was busy again.
/// The call that wakes an idle daemon pays for it with some milliseconds of mapping, so one that is
/// called every few seconds keeps its pages.
class ProgramPagesTrimmer {
 public:
  /// Called now and then, with the time and the processor time that the process has used so far.
  /// True: now. The first call only begins the first period.
  bool long_idle(std::chrono::nanoseconds now, std::chrono::nanoseconds used);

  /// long_idle() with this process's clocks, then release_program_pages().
  void run();

  /// Idle is less than this part of one core.
  static constexpr int kIdleDivisor = 100;
  static constexpr int kPeriods = 3;

 private:
  std::chrono::nanoseconds last_{-1};
  std::chrono::nanoseconds last_used_{0};
  int idle_periods_ = 0;
};

}  // namespace gantry::service
