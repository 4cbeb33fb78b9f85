// SPDX-License-Identifier: Apache-2.0
//
// Lookout: before a worker sleeps it looks out for work for a short time, because a core that has
// halted takes far longer to come back than a piece of work takes to run (in a virtual machine 40
// us instead of one). At most one worker looks, and what is submitted meanwhile is handed to it
// without a lock and without a system call.
//
// Looking costs processor time, so it is only done where it pays: after a sleep that lasted longer
// than the longest look nobody looks any more, after a shorter one the next looks last twice as
// long again. A looker that was itself put off its core leaves the machine to the others for a
// while.
#pragma once

#include "exec/clock.hpp"
#include "exec/strand.hpp"

#include <atomic>
#include <cstdint>

namespace gantry::kernel {

class Lookout {
 public:
  Lookout(const Clock& clock, std::int64_t longest_ns);  // 0: nobody ever looks

  // Makes the calling worker the one that looks. false: it is not worth it, or another one looks.
  // What give() refused before must be findable elsewhere by the caller. [thread: worker]
  bool begin(std::int64_t now_ns);
  // Ends begin(): what was given, or nullptr after the time in which nothing came.
  RunNode* look(std::int64_t now_ns);
  // Hands a node to the worker that looks. false: none does. [thread: any]
  bool give(RunNode& node);
  // A worker was woken that had stopped working so long ago. [thread: any]
  void slept(std::int64_t duration_ns);

 private:
  RunNode* end();

  const Clock& clock_;
  const std::int64_t longest_ns_;
  RunNode empty_;                        // only its address counts
  std::atomic<RunNode*> hand_{nullptr};  // nullptr: nobody looks; &empty_: somebody does
  std::atomic<std::int64_t> look_ns_;    // how long the next look may last
  std::atomic<std::int64_t> not_before_ns_{0};
};

}  // namespace gantry::kernel
