// SPDX-License-Identifier: Apache-2.0
#include "exec/blocking.hpp"

#include "exec/clock.hpp"
#include "exec/parker.hpp"
#include "exec/thread_name.hpp"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace gantry::kernel {

namespace {
// A thread without work, on its stack. Who takes it from the list wakes it.
struct IdleThread {
  Parker parker;
  Item* item = nullptr;  // what it is woken for; nullptr: to look at the state
};
}  // namespace

struct BlockingPool::State {
  std::mutex mutex;
  std::condition_variable ended;
  std::deque<Item*> queue;        // empty while any thread is idle
  std::vector<IdleThread*> idle;  // the last to come is the first to go: its cache is warm
  const char* name = "";
  StartThread start;
  unsigned max_threads = 0;
  std::int64_t idle_ns = 0;
  unsigned threads = 0;
  std::uint64_t started = 0;
  bool stopping = false;

  // An item, or nullptr when it is time to end. The lock is held before and after.
  Item* next(std::unique_lock<std::mutex>& lock);
  bool wait(IdleThread& self, std::unique_lock<std::mutex>& lock);
  void no_thread();
};

BlockingPool::BlockingPool(const char* name, unsigned max_threads, std::int64_t idle_ns,
                           StartThread start)
    : state_(std::make_shared<State>()) {
  state_->name = name;
  state_->max_threads = max_threads == 0 ? 1 : max_threads;
  state_->idle_ns = idle_ns;
  state_->start = std::move(start);
}

BlockingPool::~BlockingPool() { stop(); }

void BlockingPool::stop() {
  std::unique_lock lock(state_->mutex);
  state_->stopping = true;
  for (IdleThread* thread : state_->idle) thread->parker.wake();
  state_->idle.clear();
  state_->ended.wait(lock, [this] { return state_->threads == 0; });
}

void BlockingPool::start_detached(std::function<void()> main) {
  std::thread(std::move(main)).detach();
}

void BlockingPool::submit(Item& item) {
  const std::shared_ptr<State> state = state_;  // stop() may return before this does
  IdleThread* woken = nullptr;
  {
    std::lock_guard lock(state->mutex);
    if (!state->idle.empty()) {
      woken = state->idle.back();
      state->idle.pop_back();
      woken->item = &item;
    } else {
      state->queue.push_back(&item);
      if (state->threads == state->max_threads) return;
      ++state->threads;
      ++state->started;
    }
  }
  if (woken != nullptr) {
    woken->parker.wake();
    return;
  }
  try {
    state->start([state] { thread_main(state); });
  } catch (const std::system_error&) {
    state->no_thread();
  }
}

// What was queued waits for another thread. If there is none nobody would ever come for it, nor for
// what others queued while they too tried to start one.
void BlockingPool::State::no_thread() {
  std::deque<Item*> refused;
  {
    std::lock_guard lock(mutex);
    --started;
    if (--threads == 0) {
      refused.swap(queue);
      ended.notify_all();
    }
  }
  for (Item* item : refused) item->drop();
}

BlockingStats BlockingPool::stats() const {
  std::lock_guard lock(state_->mutex);
  return {state_->threads, static_cast<unsigned>(state_->idle.size()), state_->queue.size(),
          state_->started, state_->stopping};
}

Item* BlockingPool::State::next(std::unique_lock<std::mutex>& lock) {
  while (queue.empty()) {
    if (stopping) return nullptr;
    IdleThread self;
    const bool woken = wait(self, lock);
    if (self.item != nullptr) return self.item;
    if (!woken) return nullptr;
  }
  Item* item = queue.front();
  queue.pop_front();
  return item;
}

// false: nobody wanted the thread for so long that it may end.
bool BlockingPool::State::wait(IdleThread& self, std::unique_lock<std::mutex>& lock) {
  self.parker.prepare();
  idle.push_back(&self);
  lock.unlock();
  const bool woken = self.parker.park_until(SystemClock::instance().monotonic_ns() + idle_ns);
  lock.lock();
  if (woken) return true;
  if (std::erase(idle, &self) != 0) return false;
  self.parker.park();  // it was taken at the last moment, and wake() is on its way
  return true;
}

void BlockingPool::thread_main(std::shared_ptr<State> state) {
  set_thread_name(state->name);
  std::unique_lock lock(state->mutex);
  while (Item* item = state->next(lock)) {
    lock.unlock();
    item->run();
    lock.lock();
  }
  --state->threads;
  state->ended.notify_all();
}

}  // namespace gantry::kernel
