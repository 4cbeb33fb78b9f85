// SPDX-License-Identifier: Apache-2.0
#pragma once
// Processes by descriptor (Linux 5.3). glibc 2.36 declares its functions without C linkage, and C++
// cannot link them; hence the bare system calls.

#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>
#include <gantry/unique_fd.hpp>

namespace gantry::shell {

/// Readable when the process has ended; empty when there is none.
inline UniqueFd open_pidfd(pid_t pid) {
  return UniqueFd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0U)));
}

/// To this very process, never to a later one with its number.
inline void signal_pidfd(const UniqueFd& pidfd, int number) {
  (void)::syscall(SYS_pidfd_send_signal, pidfd.get(), number, nullptr, 0U);
}

}  // namespace gantry::shell
