// SPDX-License-Identifier: Apache-2.0
#include "exec/blocking.hpp"

#include "exec/thread_name.hpp"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <system_error>
#include <thread>

namespace gantry::kernel {

struct BlockingPool::State {
  std::mutex mutex;
  std::condition_variable work;
  std::condition_variable ended;
  std::deque<Item*> queue;
  const char* name = "";
  unsigned max_threads = 0;
  std::chrono::nanoseconds idle{};
  unsigned threads = 0;
  unsigned idle_threads = 0;
  std::uint64_t started = 0;
  bool stopping = false;
};

BlockingPool::BlockingPool(const char* name, unsigned max_threads, std::int64_t idle_ns)
    : state_(std::make_shared<State>()) {
  state_->name = name;
  state_->max_threads = max_threads == 0 ? 1 : max_threads;
  state_->idle = std::chrono::nanoseconds(idle_ns);
}

BlockingPool::~BlockingPool() { stop(); }

void BlockingPool::stop() {
  std::unique_lock lock(state_->mutex);
  state_->stopping = true;
  state_->work.notify_all();
  state_->ended.wait(lock, [this] { return state_->threads == 0; });
}

void BlockingPool::submit(Item& item) {
  bool start = false;
  {
    std::lock_guard lock(state_->mutex);
    state_->queue.push_back(&item);
    // Idle threads that were already notified still count as idle until they run, hence the queue.
    start = state_->queue.size() > state_->idle_threads && state_->threads < state_->max_threads;
    if (start) {
      ++state_->threads;
      ++state_->started;
    }
  }
  if (!start) {
    state_->work.notify_one();
    return;
  }
  try {
    std::thread(thread_main, state_).detach();
  } catch (const std::system_error&) {
    // The machine is out of threads: the item waits for one of ours, and if there is none it is
    // refused rather than left for ever.
    Item* refused = nullptr;
    {
      std::lock_guard lock(state_->mutex);
      if (--state_->threads == 0 && !state_->queue.empty()) {
        refused = state_->queue.back();
        state_->queue.pop_back();
      }
    }
    if (refused != nullptr) refused->drop();
  }
}

BlockingStats BlockingPool::stats() const {
  std::lock_guard lock(state_->mutex);
  return {state_->threads, state_->idle_threads, state_->queue.size(), state_->started};
}

void BlockingPool::thread_main(std::shared_ptr<State> state) {
  set_thread_name(state->name);
  std::unique_lock lock(state->mutex);
  for (;;) {
    if (!state->queue.empty()) {
      Item* item = state->queue.front();
      state->queue.pop_front();
      lock.unlock();
      item->run();
      lock.lock();
      continue;
    }
    if (state->stopping) break;
    ++state->idle_threads;
    const bool woken = state->work.wait_for(
        lock, state->idle, [&] { return state->stopping || !state->queue.empty(); });
    --state->idle_threads;
    if (!woken) break;
  }
  --state->threads;
  state->ended.notify_all();
}

}  // namespace gantry::kernel
