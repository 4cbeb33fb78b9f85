// SPDX-License-Identifier: Apache-2.0
#include "input_lane.hpp"

#include <algorithm>

namespace gantry::observation {

struct InputLane::Wait {
  InputLane& lane;
  const std::string& caller;
  const Life& life;

  [[nodiscard]] bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> waiting) {
    auto queue = std::find_if(lane.queues_.begin(), lane.queues_.end(),
                              [&](const Queue& candidate) { return candidate.caller == caller; });
    if (queue == lane.queues_.end()) {
      queue = lane.queues_.insert(lane.queues_.end(), Queue{caller, {}});
    }
    queue->calls.push_back({&life, waiting});
  }
  void await_resume() const noexcept {}
};

Task<Outcome<InputLane::Turn>> InputLane::enter(const std::string& caller, const Life& life) {
  if (taken_ && !ended_) {
    Wait wait{*this, caller, life};
    co_await wait;  // pass_on() leaves the lane taken for whom it wakes
  }
  if (ended_) co_return failure(Fault::Timeout, "the observer is stopping; nothing was done");
  taken_ = true;
  Turn turn(*this);
  if (life.over(desktop_.monotonic_ns())) {
    co_return failure(Fault::Timeout,
                      "the call was given up while it waited for its turn; nothing was done");
  }
  co_return Outcome<Turn>(std::move(turn));
}

void InputLane::end() {
  ended_ = true;
  while (!queues_.empty()) {
    const Queue first = std::move(queues_.front());
    queues_.pop_front();
    for (const Waiter& waiter : first.calls) waiter.life->resume(waiter.waiting);
  }
}

void InputLane::pass_on() {
  if (queues_.empty()) {
    taken_ = false;
    return;
  }
  Queue& first = queues_.front();
  const Waiter next = first.calls.front();
  first.calls.pop_front();
  if (first.calls.empty()) {
    queues_.pop_front();
  } else {
    queues_.splice(queues_.end(), queues_, queues_.begin());
  }
  // As work of its own, so that a long queue is no deep stack.
  desktop_.start_timer(0, [next] { next.life->resume(next.waiting); });
}

std::size_t InputLane::waiting() const {
  std::size_t count = 0;
  for (const Queue& queue : queues_) count += queue.calls.size();
  return count;
}

}  // namespace gantry::observation
