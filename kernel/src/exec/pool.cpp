// SPDX-License-Identifier: Apache-2.0
#include "exec/pool.hpp"

#include "exec/clock.hpp"
#include "exec/thread_name.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace gantry::kernel {

namespace {
// The kernel starts and stops one plugin after another; more than one thread is taken by those that
// hang, each of which is not started again after a few times.
constexpr unsigned kMostLifecycles = 256;
constexpr unsigned kSlotStreak = 16;     // strands from the slot before the queues get their turn
constexpr unsigned kBulkQueueTurn = 16;  // every so many picks the bulk queue goes first
constexpr std::int64_t kWatchNs = 1'000'000;
// Posts to the strand in the slot after which the handler that posts seems to go on: a burst may be
// worth the wake of another worker, a message or two are not.
constexpr unsigned kPostsToSlot = 16;
constexpr int kQuietLooks = 16;  // looks without any slot in use before the watch ends
// A worker whose item has run for so long is no longer counted on, though its strand's are short:
// it was put off its core, or the item is an exception.
constexpr std::int64_t kLivelyNs = 200'000;
constexpr unsigned kMostLeft = 2;         // strands that wait for lively workers at a time
constexpr std::int64_t kTurnNs = 50'000;  // of a strand, when others wait for a worker
// An event takes some 200 ns, and looking at the clock a tenth of that.
constexpr std::int64_t kItemsPerLook = 4;
constexpr std::size_t kMostAsked = 8;  // workers that are looked at to find a lively one

thread_local int t_worker = -1;
thread_local Pool* t_pool = nullptr;

std::int64_t steady_ns() { return SystemClock::instance().monotonic_ns(); }
}  // namespace

int Pool::current_worker() { return t_worker; }

bool Pool::works_here() const {
  return t_pool == this && t_worker >= 0 && t_worker < static_cast<int>(workers());
}

Pool::Pool(const PoolOptions& options)
    : blocking_("gantry-block", options.max_blocking, options.blocking_idle_ns),
      lifecycle_("gantry-life", kMostLifecycles, options.blocking_idle_ns),
      lookout_(SystemClock::instance(), options.look_ns) {
  const unsigned workers =
      options.workers != 0 ? options.workers : std::max(2u, std::thread::hardware_concurrency());
  idle_.reserve(workers);
  for (unsigned i = 0; i < workers; ++i) workers_.push_back(std::make_unique<Worker>());
  for (unsigned i = 0; i < workers; ++i) {
    workers_[i]->thread = std::thread([this, i] { worker_main(static_cast<int>(i)); });
  }
  reserved_ = std::thread([this] { reserved_main(); });
}

Pool::~Pool() { stop(); }

void Pool::stop() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
    for (Worker* worker : idle_) worker->parker.wake();
    idle_.clear();
    if (std::exchange(reserved_idle_, false)) reserved_parker_.wake();
  }
  for (auto& worker : workers_) {
    if (worker->thread.joinable()) worker->thread.join();
  }
  if (reserved_.joinable()) reserved_.join();
  lifecycle_.stop();  // its threads may still be giving strands back
  blocking_.stop();
}

void Pool::set_timer_driver(TimerDriver* driver) {
  std::lock_guard lock(mutex_);
  timers_ = driver;
}

template <class F>
void Pool::tell_reserved(F news) {
  bool sleeps = false;
  {
    std::lock_guard lock(mutex_);
    news();
    sleeps = std::exchange(reserved_idle_, false);
  }
  if (sleeps) reserved_parker_.wake();
}

void Pool::kick_timers() {
  tell_reserved([this] { kicked_ = true; });
}

PoolStats Pool::stats() const {
  return {workers(),
          wakes_.load(std::memory_order_relaxed),
          rescued_.load(std::memory_order_relaxed),
          passed_.load(std::memory_order_relaxed),
          looks_.load(std::memory_order_relaxed),
          left_.load(std::memory_order_relaxed),
          blocking_.stats()};
}

void Pool::submit(RunNode& node) {
  if (node.strand->dedicated_ != nullptr) {
    node.strand->dedicated_->submit(node);
    return;
  }
  if (node.urgency != Urgency::control && works_here()) {
    Worker& self = *workers_[static_cast<std::size_t>(t_worker)];
    if (self.slot.load(std::memory_order_relaxed) == nullptr) {
      self.posts_to_slot = 1;
      self.slot_puts.fetch_add(1, std::memory_order_relaxed);
      self.slot.store(&node);
      if (!watching_.load()) arm_watch();
      return;
    }
  }
  push(node, node.urgency == Urgency::control ? Haste::now : Haste::may_wait);
}

void Pool::posted_again(RunNode& node) {
  if (!works_here()) return;
  Worker& self = *workers_[static_cast<std::size_t>(t_worker)];
  RunNode* mine = &node;
  if (self.slot.load(std::memory_order_relaxed) != mine) return;
  if (++self.posts_to_slot < kPostsToSlot || !self.slot.compare_exchange_strong(mine, nullptr)) {
    return;
  }
  passed_.fetch_add(1, std::memory_order_relaxed);
  push(node, Haste::now);
}

void Pool::push(RunNode& node, Haste haste) {
  if (lookout_.give(node)) return;
  Worker* sleeper = nullptr;
  std::int64_t idle_since = 0;
  bool left = false;
  bool wake_reserved = false;
  {
    std::lock_guard lock(mutex_);
    if (lookout_.give(node)) return;  // it began to look after it had found the queues empty
    Queue& queue = queues_[static_cast<std::size_t>(node.urgency)];
    node.next = nullptr;
    (queue.tail != nullptr ? queue.tail->next : queue.head) = &node;
    queue.tail = &node;
    const unsigned before = waiting_.fetch_add(1, std::memory_order_relaxed);
    if (!idle_.empty()) {
      left = haste == Haste::may_wait && before < kMostLeft && somebody_is_lively_locked();
      if (!left) sleeper = take_idle_locked(idle_since);
    } else if (node.urgency == Urgency::control) {
      wake_reserved = std::exchange(reserved_idle_, false);
    }
  }
  if (sleeper != nullptr) wake(*sleeper, idle_since);
  if (wake_reserved) reserved_parker_.wake();
  if (!left) return;
  left_.fetch_add(1, std::memory_order_relaxed);
  if (!watching_.load()) arm_watch();
}

bool Pool::somebody_is_lively_locked() const {
  std::int64_t now = 0;
  for (std::size_t i = 0; i < std::min(workers_.size(), kMostAsked); ++i) {
    const std::int64_t lively = workers_[i]->lively_ns.load(std::memory_order_relaxed);
    if (lively == 0) continue;
    if (now == 0) now = steady_ns();
    if (now - lively < kLivelyNs) return true;
  }
  return false;
}

Pool::Worker* Pool::take_idle_locked(std::int64_t& idle_since) {
  Worker* worker = idle_.back();
  idle_since = worker->idle_since_ns;
  idle_.pop_back();
  return worker;
}

void Pool::wake(Worker& worker, std::int64_t idle_since) {
  wakes_.fetch_add(1, std::memory_order_relaxed);
  worker.parker.wake();
  lookout_.slept(steady_ns() - idle_since);
}

// Wakes a worker if something waits in the queues; `only_if_stuck`: if nothing was taken from them
// since the last look. true: something waits.
bool Pool::wake_for_waiting(bool only_if_stuck) {
  Worker* sleeper = nullptr;
  std::int64_t idle_since = 0;
  {
    std::lock_guard lock(mutex_);
    const bool moved = std::exchange(seen_taken_, taken_) != taken_;
    if (waiting_.load(std::memory_order_relaxed) == 0) return false;
    if (!idle_.empty() && !(only_if_stuck && moved)) sleeper = take_idle_locked(idle_since);
  }
  if (sleeper != nullptr) {
    if (only_if_stuck) rescued_.fetch_add(1, std::memory_order_relaxed);
    wake(*sleeper, idle_since);
  }
  return true;
}

RunNode* Pool::pop_locked() {
  static constexpr std::size_t kUsual[] = {0, 1, 2};
  static constexpr std::size_t kBulkFirst[] = {0, 2, 1};
  const auto& order = ++picks_ % kBulkQueueTurn == 0 ? kBulkFirst : kUsual;
  for (const std::size_t index : order) {
    Queue& queue = queues_[index];
    if (queue.head == nullptr) continue;
    RunNode* node = queue.head;
    queue.head = node->next;
    if (queue.head == nullptr) queue.tail = nullptr;
    waiting_.fetch_sub(1, std::memory_order_relaxed);
    ++taken_;
    return node;
  }
  return nullptr;
}

RunNode* Pool::next_node(Worker& self, bool& stopping) {
  if (self.slot_streak < kSlotStreak) {
    if (RunNode* node = self.slot.exchange(nullptr)) {
      ++self.slot_streak;
      return node;
    }
  }
  self.slot_streak = 0;
  {
    std::lock_guard lock(mutex_);
    stopping = stopping_;
    if (stopping) return nullptr;
    if (RunNode* node = pop_locked()) return node;
    if (RunNode* node = self.slot.exchange(nullptr)) return node;
    self.idle_since_ns = steady_ns();
    self.lively_ns.store(0, std::memory_order_relaxed);
    if (!lookout_.begin(self.idle_since_ns)) {
      prepare_park(self);
      return nullptr;
    }
  }
  looks_.fetch_add(1, std::memory_order_relaxed);
  if (RunNode* node = lookout_.look(self.idle_since_ns)) return node;
  std::lock_guard lock(mutex_);
  stopping = stopping_;
  if (stopping) return nullptr;
  if (RunNode* node = pop_locked()) return node;
  prepare_park(self);
  return nullptr;
}

void Pool::prepare_park(Worker& self) {
  self.parker.prepare();
  idle_.push_back(&self);
}

void Pool::worker_main(int index) {
  t_worker = index;
  t_pool = this;
  set_thread_name("gantry-work");
  Worker& self = *workers_[static_cast<std::size_t>(index)];
  bool stopping = false;
  while (!stopping) {
    if (RunNode* node = next_node(self, stopping)) {
      begin_turn(self, *node->strand);
      node->strand->run_batch(*node, false);
      continue;
    }
    if (!stopping) self.parker.park();
  }
}

void Pool::begin_turn(Worker& self, const Strand& strand) {
  const std::int64_t now = steady_ns();
  if (self.slot_streak == 0) self.turn_ns = now;  // what a strand puts into the slot is of its turn
  self.item_ns = now;
  self.items = 0;
  self.lively_ns.store(strand.quick() ? now : 0, std::memory_order_relaxed);
  // What was left to this worker, because it seemed to be soon done, is not to wait for a slow one.
  if (!strand.quick() && waiting_.load(std::memory_order_relaxed) != 0) wake_for_waiting(false);
}

bool Pool::ends_turn(Strand& strand) {
  if (!works_here()) return false;
  Worker& self = *workers_[static_cast<std::size_t>(t_worker)];
  const bool others_wait = waiting_.load(std::memory_order_relaxed) != 0;
  if (++self.items < kItemsPerLook && !others_wait) return false;
  look_at_clock(self, strand);
  if (!others_wait || self.item_ns - self.turn_ns < kTurnNs) return false;
  self.slot_streak = kSlotStreak;  // or this strand, back in the slot, would go before the others
  return true;
}

void Pool::end_turn(Strand& strand) {
  if (!works_here()) return;
  Worker& self = *workers_[static_cast<std::size_t>(t_worker)];
  if (self.items != 0) look_at_clock(self, strand);
}

void Pool::look_at_clock(Worker& self, Strand& strand) {
  const std::int64_t now = steady_ns();
  strand.took((now - self.item_ns) / self.items);
  self.item_ns = now;
  self.items = 0;
  self.lively_ns.store(strand.quick() ? now : 0, std::memory_order_relaxed);
}

void Pool::arm_watch() {
  tell_reserved([this] { watching_.store(true); });
}

// true when any slot was in use since the last look.
bool Pool::rescue_slots() {
  bool used = false;
  for (auto& worker : workers_) {
    const std::uint32_t puts = worker->slot_puts.load(std::memory_order_relaxed);
    RunNode* node = worker->slot.load();
    if (node != nullptr && puts == worker->seen_puts &&
        worker->slot.compare_exchange_strong(node, nullptr)) {
      rescued_.fetch_add(1, std::memory_order_relaxed);
      push(*node, Haste::now);
    }
    used = used || node != nullptr || puts != worker->seen_puts;
    worker->seen_puts = puts;
  }
  return wake_for_waiting(true) || used;
}

// Looks at the slots when it is time to; returns when to look again.
std::int64_t Pool::watch_slots(Watch& watch, std::int64_t now) {
  if (!watching_.load()) return std::numeric_limits<std::int64_t>::max();
  if (now < watch.next_look) return watch.next_look;
  watch.next_look = now + kWatchNs;
  watch.quiet = rescue_slots() ? 0 : watch.quiet + 1;
  if (watch.quiet < kQuietLooks) return watch.next_look;
  watch.quiet = 0;
  watching_.store(false);
  // A put that saw the watch still on is seen here, because it stored its slot before it looked.
  if (!rescue_slots()) return std::numeric_limits<std::int64_t>::max();
  watching_.store(true);
  return watch.next_look;
}

RunNode* Pool::pop_control_locked() {
  Queue& queue = queues_[static_cast<std::size_t>(Urgency::control)];
  RunNode* node = queue.head;
  if (node == nullptr) return nullptr;
  queue.head = node->next;
  if (queue.head == nullptr) queue.tail = nullptr;
  waiting_.fetch_sub(1, std::memory_order_relaxed);
  ++taken_;
  return node;
}

void Pool::reserved_main() {
  t_worker = static_cast<int>(workers_.size());
  t_pool = this;
  set_thread_name("gantry-control");
  Watch watch;
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    if (RunNode* node = pop_control_locked()) {
      lock.unlock();
      node->strand->run_batch(*node, true);
      lock.lock();
      continue;
    }
    kicked_ = false;
    TimerDriver* timers = timers_;
    lock.unlock();
    std::int64_t until = std::numeric_limits<std::int64_t>::max();
    if (timers != nullptr) {
      timers->fire_due();
      until = timers->next_event_ns();
    }
    const std::int64_t now = steady_ns();
    until = std::min(until, watch_slots(watch, now));
    lock.lock();
    // What happened while the lock was not held.
    if (stopping_ || kicked_ || queues_[0].head != nullptr) continue;
    if (watching_.load() && until > watch.next_look) continue;
    if (until <= now) continue;
    reserved_idle_ = true;
    reserved_parker_.prepare();
    lock.unlock();
    bool woken = true;
    if (until == std::numeric_limits<std::int64_t>::max()) {
      reserved_parker_.park();
    } else {
      woken = reserved_parker_.park_until(until);
    }
    lock.lock();
    if (woken || std::exchange(reserved_idle_, false)) continue;
    // Taken at the last moment: wake() is on its way, and must not meet the next sleep.
    lock.unlock();
    reserved_parker_.park();
    lock.lock();
  }
}

}  // namespace gantry::kernel
