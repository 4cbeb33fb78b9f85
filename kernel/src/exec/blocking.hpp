// SPDX-License-Identifier: Apache-2.0
//
// Threads on which waiting is allowed. They are made when needed, up to a bound, and end when idle.
#pragma once

#include "exec/strand.hpp"

#include <cstdint>
#include <functional>
#include <memory>

namespace gantry::kernel {

struct BlockingStats {
  unsigned threads = 0;
  unsigned idle = 0;
  std::uint64_t queued = 0;  // waiting for a thread now
  std::uint64_t started_threads = 0;
  bool stopping = false;
};

// Thread-safe. Items beyond the bound wait in order.
class BlockingPool {
 public:
  // Runs `main` on a thread of its own, or throws std::system_error when there is none to be had.
  using StartThread = std::function<void(std::function<void()> main)>;

  // `name` is what the system calls its threads: 15 characters at most, a literal.
  BlockingPool(const char* name, unsigned max_threads, std::int64_t idle_ns,
               StartThread start = start_detached);
  ~BlockingPool();  // stops
  BlockingPool(const BlockingPool&) = delete;
  BlockingPool& operator=(const BlockingPool&) = delete;

  // When the machine is out of threads the item waits for one of the pool's; if it has none, all
  // that wait are dropped.
  void submit(Item& item);
  // Waits until the queued and running items are done and the threads gone.
  void stop();
  BlockingStats stats() const;

 private:
  struct State;
  static void start_detached(std::function<void()> main);
  static void thread_main(std::shared_ptr<State> state);
  std::shared_ptr<State> state_;  // threads share it: they are detached and may outlive the pool
};

}  // namespace gantry::kernel
