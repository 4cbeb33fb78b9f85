// SPDX-License-Identifier: Apache-2.0
//
// The worker threads that run strands: N workers for every lane and one reserved worker that takes
// only control work, so that a pool full of long handlers can still be cancelled and stopped. The
// reserved worker also fires timers.
//
// A strand made runnable by a handler goes into its worker's `next` slot and runs right after that
// handler, on a warm cache and without waking anybody. If the handler goes on posting to it, or
// runs long (the reserved worker looks every millisecond while such work exists), somebody else
// gets it.
//
// A strand made runnable elsewhere wakes no second worker while one is busy with short items: that
// one looks into the queue about as soon as a sleeper would be up. It ends its strand's turn for
// what waits there; if it does not come, the reserved worker wakes another.
#pragma once

#include "exec/blocking.hpp"
#include "exec/lookout.hpp"
#include "exec/parker.hpp"
#include "exec/strand.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace gantry::kernel {

struct PoolStats {
  unsigned workers = 0;       // without the reserved one
  std::uint64_t wakes = 0;    // of workers that were parked
  std::uint64_t rescued = 0;  // strands that waited behind a long handler and were given to others
  std::uint64_t passed = 0;   // strands passed on because the handler before them kept posting
  std::uint64_t looks = 0;    // of workers, for work, before they slept
  std::uint64_t left = 0;     // strands left to a worker that is soon done, without a wake
  BlockingStats blocking;
};

// What the reserved worker does besides control work.
class TimerDriver {
 public:
  virtual ~TimerDriver() = default;
  virtual std::int64_t next_event_ns() = 0;  // CLOCK_MONOTONIC; INT64_MAX: none
  virtual void fire_due() = 0;
};

struct PoolOptions {
  unsigned workers = 0;  // 0: max(2, cores)
  unsigned max_blocking = 64;
  std::int64_t blocking_idle_ns = 5'000'000'000;
  std::int64_t look_ns = 0;  // the longest that a worker looks for work before it sleeps
};

class Pool {
 public:
  explicit Pool(const PoolOptions& options);
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  // nullptr: timers are driven by hand. Call before any timer is armed.
  void set_timer_driver(TimerDriver* driver);
  // Makes the reserved worker look at the timers again. [thread: any]
  void kick_timers();
  // Ends and joins the workers and the blocking threads; what is queued stays in its strands. Waits
  // for what runs. Not from a worker.
  void stop();

  void submit(RunNode& node);  // [thread: any]
  // More work came for a strand that already waits for a worker. [thread: any]
  void posted_again(RunNode& node);
  // An item of the strand has run. true: others have waited for a while, so this strand shall end
  // its turn. [thread: the one that ran it]
  bool ends_turn(Strand& strand);
  // The strand ends its turn for whatever reason. [thread: the one that ran it]
  void end_turn(Strand& strand);
  BlockingPool& blocking() { return blocking_; }
  // Threads for life-cycle code alone, so that plugins whose work fills the blocking pool cannot
  // hold up anybody's start or stop.
  BlockingPool& lifecycle() { return lifecycle_; }
  // false on a worker, whose other strands would wait too.
  bool may_wait_here() const { return current_worker() < 0; }
  // Index of the calling worker (the reserved one is `workers()`), or -1 on any other thread.
  static int current_worker();
  unsigned workers() const { return static_cast<unsigned>(workers_.size()); }
  PoolStats stats() const;

 private:
  struct alignas(64) Worker {
    std::atomic<RunNode*> slot{nullptr};
    std::atomic<std::uint32_t> slot_puts{0};
    Parker parker;
    // When it last came to the end of some items, while it runs a strand with short ones; else 0.
    std::atomic<std::int64_t> lively_ns{0};
    std::int64_t turn_ns = 0;        // the worker's own: when it last took from the queues,
    std::int64_t item_ns = 0;        // and when it last looked at the clock,
    std::int64_t items = 0;          // so many items ago
    unsigned slot_streak = 0;        // the worker's own: strands from its slot since then
    std::uint32_t seen_puts = 0;     // the reserved worker's, at its last look
    unsigned posts_to_slot = 0;      // the worker's own: posts to the strand in its slot
    std::int64_t idle_since_ns = 0;  // the worker's, before it parks; then guarded by mutex_
    std::thread thread;
  };
  struct Queue {
    RunNode* head = nullptr;
    RunNode* tail = nullptr;
  };

  // The reserved worker's memory of when it looked at the slots.
  struct Watch {
    int quiet = 0;  // looks in a row that found no slot in use
    std::int64_t next_look = 0;
  };

  bool works_here() const;  // the calling thread is a worker of this pool, and not the reserved one
  void worker_main(int index);
  void reserved_main();
  // A node to run; nullptr: the worker is now parked, or `stopping` was set.
  RunNode* next_node(Worker& self, bool& stopping);
  void begin_turn(Worker& self, const Strand& strand);
  void look_at_clock(Worker& self, Strand& strand);
  void prepare_park(Worker& self);
  RunNode* pop_locked();
  RunNode* pop_control_locked();
  // Whether what is queued may wait for a worker that is busy, or needs one at once.
  enum class Haste : std::uint8_t { may_wait, now };
  void push(RunNode& node, Haste haste);
  bool somebody_is_lively_locked() const;
  Worker* take_idle_locked(std::int64_t& idle_since);
  void wake(Worker& worker, std::int64_t idle_since);
  // Changes what the reserved worker looks at under the lock, and wakes it.
  template <class F>
  void tell_reserved(F news);
  bool wake_for_waiting(bool only_if_stuck);
  std::int64_t watch_slots(Watch& watch, std::int64_t now);
  bool rescue_slots();
  void arm_watch();

  BlockingPool blocking_;
  BlockingPool lifecycle_;
  Lookout lookout_;
  mutable std::mutex mutex_;
  Parker reserved_parker_;
  Queue queues_[kUrgencyCount];
  std::atomic<unsigned> waiting_{0};  // nodes in queues_; changed under mutex_
  unsigned picks_ = 0;
  unsigned taken_ = 0;          // nodes ever taken from queues_
  unsigned seen_taken_ = 0;     // at the reserved worker's last look
  std::vector<Worker*> idle_;   // the last to park is the first to be woken: its cache is warm
  bool reserved_idle_ = false;  // parked, or about to be; who else clears it wakes it
  bool kicked_ = false;
  bool stopping_ = false;
  std::atomic<bool> watching_{false};
  TimerDriver* timers_ = nullptr;
  std::atomic<std::uint64_t> wakes_{0};
  std::atomic<std::uint64_t> rescued_{0};
  std::atomic<std::uint64_t> passed_{0};
  std::atomic<std::uint64_t> looks_{0};
  std::atomic<std::uint64_t> left_{0};
  std::vector<std::unique_ptr<Worker>> workers_;
  std::thread reserved_;
};

// A strand's own thread, for plugins that ask for it: waiting is allowed there.
class DedicatedThread {
 public:
  DedicatedThread(Strand& strand, const char* name);
  ~DedicatedThread();  // after the running item; what is queued stays in the strand
  DedicatedThread(const DedicatedThread&) = delete;
  DedicatedThread& operator=(const DedicatedThread&) = delete;

  void submit(RunNode& node);

 private:
  void main();

  Strand& strand_;
  std::mutex mutex_;
  RunNode* pending_[kUrgencyCount] = {};
  bool stopping_ = false;
  bool idle_ = false;  // parked, or about to be; who clears it wakes the thread
  Parker parker_;
  std::thread thread_;
};

}  // namespace gantry::kernel
