// SPDX-License-Identifier: Apache-2.0
//
// Strand: a queue whose items run one at a time, in the order in which they were posted per lane.
// It has no thread of its own; whichever pool worker takes it runs a batch of its items.
//
// Threads: post() from anywhere, lock-free. Everything else is said at the function.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace gantry::kernel {

class DedicatedThread;
class Pool;
class Strand;

// Lanes inside a strand. `system` is the kernel's own (life cycle, barriers): it runs also while
// the strand is held. The other three are those of gantry_lane.
enum class Lane : std::uint8_t { system = 0, control = 1, interactive = 2, bulk = 3 };
inline constexpr std::size_t kLaneCount = 4;

// gantry_lane of a caller; an unknown number is interactive.
constexpr Lane lane_from_abi(std::uint32_t lane) {
  return lane == 0 ? Lane::control : lane == 2 ? Lane::bulk : Lane::interactive;
}
constexpr std::uint32_t lane_to_abi(Lane lane) {
  return lane <= Lane::control ? 0u : static_cast<std::uint32_t>(lane) - 1u;
}

// A queued piece of work. Exactly one of run() and drop() is called, once; either may delete it.
class Item {
 public:
  virtual void run() = 0;
  virtual void drop() = 0;
  // true: it is life-cycle code, which may wait: run() gets a thread of Pool::lifecycle() while it
  // keeps the strand.
  virtual bool may_wait() const { return false; }

 protected:
  ~Item() = default;

 private:
  friend class Strand;
  Item* next_ = nullptr;
};

// The pool's queues, most urgent first. A strand can wait in each of them once.
enum class Urgency : std::uint8_t { control = 0, interactive = 1, bulk = 2 };
inline constexpr std::size_t kUrgencyCount = 3;

struct RunNode {
  Strand* strand = nullptr;
  RunNode* next = nullptr;
  Urgency urgency = Urgency::control;
  std::atomic<bool> queued{false};
};

class Strand {
 public:
  Strand(Pool& pool, bool held);
  ~Strand();
  Strand(const Strand&) = delete;
  Strand& operator=(const Strand&) = delete;

  // Runs the strand on a thread of its own instead of the pool. Before the first post.
  void set_dedicated(DedicatedThread* thread) { dedicated_ = thread; }

  void post(Item& item, Lane lane);
  // Whether `item` was the last that was posted to this lane and still waits there. May be out of
  // date at once, but what the caller posted before is never behind `item`. [thread: any]
  bool is_newest(const Item& item, Lane lane) const {
    return inboxes_[static_cast<std::size_t>(lane)].pushed.load() == &item;
  }
  // From inside run() of `item`: it runs again before what waits behind it in its lane.
  void run_again(Item& item, Lane lane);
  // For a poster that gave `item` more to do instead of posting again. [thread: any]
  void posted_again(Lane lane);
  // Number of the running item; numbers that follow each other ran without a break between them.
  // [thread: the runner]
  std::uint64_t item_number() const { return item_number_; }
  // Lets the three ordinary lanes run. [thread: any]
  void release_hold();
  // From now on queued and future items are dropped instead of run. [thread: any]
  void close();
  // Drops what is queued. false: there was nothing. Only when no thread runs the strand any more.
  bool drain();
  bool closing() const { return closing_.load(std::memory_order_acquire); }
  // Whether its items are short, as the last ones were. [thread: any]
  bool quick() const { return usual_ns_.load(std::memory_order_relaxed) < kQuickNs; }
  // What each of the last items took. [thread: the runner]
  void took(std::int64_t ns) {
    const std::int64_t usual = usual_ns_.load(std::memory_order_relaxed);
    usual_ns_.store(usual + (std::min(ns, kLongestCounted) - usual) / 8, std::memory_order_relaxed);
  }
  // The strand whose item the calling thread is running, or nullptr.
  static Strand* current();

 private:
  friend class Pool;
  friend class DedicatedThread;
  struct WaitingRun;

  struct Inbox {
    std::atomic<Item*> pushed{nullptr};  // newest first; any thread pushes, the runner takes all
    Item* head = nullptr;                // oldest first; only the runner
  };

  // Called by the pool with a node it has taken from its queues. Runs a batch unless somebody else
  // is running this strand; that one will then notice what is left.
  void run_batch(RunNode& node, bool control_only);
  void drive(bool control_only);
  void execute(Item& item);
  void hand_over(Item& item);
  void finish();
  Item* next_item(bool control_only);
  Item* take(Lane lane);
  void schedule(Urgency urgency);

  static constexpr std::int64_t kQuickNs = 100'000;
  // One item may have been put off its core; two in a row are slow.
  static constexpr std::int64_t kLongestCounted = 500'000;

  Pool& pool_;
  DedicatedThread* dedicated_ = nullptr;
  std::atomic<bool> running_{false};
  std::atomic<bool> held_;
  std::atomic<bool> closing_{false};
  std::atomic<std::int64_t> usual_ns_{0};  // an item takes, about
  std::uint8_t picks_ = 0;                 // only the runner
  std::uint64_t item_number_ = 0;          // only the runner
  std::array<Inbox, kLaneCount> inboxes_;
  std::array<RunNode, kUrgencyCount> nodes_;
};

}  // namespace gantry::kernel
