// SPDX-License-Identifier: Apache-2.0
//
// StrandGroup: where and when one plugin's code runs. Its strands (one, or several that share the
// work by key), its blocking work and its timers, and how all of that ends.
#pragma once

#include "exec/context.hpp"
#include "exec/handle_table.hpp"
#include "exec/strand.hpp"

#include <gantry/abi/types.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace gantry::kernel {

class DedicatedThread;
class Exec;
class HostTimer;
struct HostOptions;

// An item that runs a plugin's closure in the context of the thread that makes it.
Item& make_closure_item(gantry_host& host, const gantry_closure& work);

// Thread-safe.
class StrandGroup {
 public:
  StrandGroup(gantry_host& host, Exec& exec, const HostOptions& options);
  ~StrandGroup();

  Strand& for_key(std::uint64_t key);
  // The strand that the calling thread is on when it is one of this group, else for_key(key): an
  // answer comes back to where the question was asked.
  Strand& home(std::uint64_t key);
  Strand& any();  // one after the other: for work without a key that may run side by side
  std::size_t size() const { return strands_.size(); }
  std::size_t index_of(const Strand& strand) const;

  void post(std::uint64_t key, Lane lane, gantry_closure work);
  void blocking(gantry_closure work);
  std::uint64_t timer_start(std::int64_t delay_ns, std::int64_t period_ns, std::uint64_t key,
                            gantry_closure work);
  void timer_cancel(std::uint64_t timer);
  // Life-cycle code: alone on the first strand, may wait, runs while the group is held.
  void run_lifecycle(std::function<void()> work);
  // Runs `work` on a strand once every strand has finished what it is running now. This is how a
  // handler's user data is dropped: also while held, closing or closed.
  void after_running(std::function<void()> work);

  void release_hold();
  bool closing() const { return closing_.load(std::memory_order_acquire); }
  // Nothing new is accepted, queued work is dropped instead of run, timers end.
  void begin_close();
  // Waits until nothing runs and nothing is queued. deadline_ns: monotonic, of the real clock.
  bool wait_closed(std::int64_t deadline_ns);
  // Drops what is still queued. Only after the pool has stopped. false: there was nothing.
  bool drain();
  unsigned running_blocking() const;
  std::string what_runs() const;  // for people, when wait_closed() said false

 private:
  friend class HostTimer;
  struct BlockingItem;
  struct Barrier;

  void blocking_done();

  gantry_host& host_;
  Exec& exec_;
  std::vector<std::unique_ptr<Strand>> strands_;
  std::unique_ptr<DedicatedThread> dedicated_;
  std::atomic<std::uint64_t> round_robin_{0};
  std::atomic<bool> closing_{false};
  std::shared_ptr<Barrier> barrier_;
  HandleTable<HostTimer> timers_;
  mutable std::mutex mutex_;
  std::condition_variable blocking_ended_;
  unsigned blocking_ = 0;  // queued or running
};

}  // namespace gantry::kernel
