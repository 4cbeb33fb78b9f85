// SPDX-License-Identifier: Apache-2.0
#pragma once
// Starts a program with nothing of the daemon in it: no environment, no descriptors, no signal
// masks, a session of its own. Between fork and exec only async-signal-safe calls are made. Linux.

#include <gantry/result.hpp>
#include <gantry/unique_fd.hpp>

#include <sys/types.h>

#include <string>
#include <vector>

namespace gantry::shell {

struct SpawnPlan {
  std::string program;                   // absolute path
  std::vector<std::string> arguments;    // with the program's own name in front
  std::vector<std::string> environment;  // NAME=value; all that it gets
  UniqueFd folder;                       // where it starts; none: the root
  std::vector<UniqueFd> extra;           // what it finds as kFirstExtra, kFirstExtra + 1, …
  bool wants_input = false;              // a pipe as standard input instead of /dev/null
  bool wants_status = false;             // a pipe as kStatusFd that it writes to
};

inline constexpr int kStatusFd = 3;
inline constexpr int kFirstExtra = 4;

struct Child {
  pid_t pid = -1;  // also the id of its session and process group
  UniqueFd pidfd;  // readable when it has ended
  UniqueFd input;
  UniqueFd output;  // standard output and standard error, as they come
  UniqueFd status;
};

/// Must be called on a thread that lives as long as the program may: the program gets SIGKILL when
/// that thread ends (PR_SET_PDEATHSIG). The descriptors do not block. Errors: not_found (no such
/// program), resource_exhausted, internal.
[[nodiscard]] Result<Child> spawn(const SpawnPlan& plan);

}  // namespace gantry::shell
