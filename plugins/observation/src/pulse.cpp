// SPDX-License-Identifier: Apache-2.0
#include "pulse.hpp"

#include <algorithm>

namespace gantry::observation {

/// Suspends until a notice or the deadline; resumed by a timer of its own, so that a hundred tools
/// that wait for the same notice run one after the other as ordinary work of the strand.
struct Pulse::Wait {
  Pulse& pulse;
  std::int64_t pid;
  std::int64_t until_ns;
  const Life& life;
  std::list<Waiter>::iterator waiter{};

  [[nodiscard]] bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> waiting) {
    waiter = pulse.waiters_.insert(pulse.waiters_.end(), Waiter{pid, &life, waiting, 0, false});
    const std::int64_t now = pulse.desktop_.monotonic_ns();
    pulse.arm(waiter, std::max<std::int64_t>(until_ns - now, 0));
  }
  bool await_resume() {
    const bool said = waiter->said;
    pulse.waiters_.erase(waiter);
    return said;
  }
};

Pulse::~Pulse() {
  for (const Waiter& waiter : waiters_) desktop_.forget_timer(waiter.timer);
}

void Pulse::tree_changed(std::int64_t pid) {
  if (tree_serials_.size() >= kMaxApplications) tree_serials_.clear();
  tree_serials_[pid] = ++serial_;
  wake(pid);
}

void Pulse::windows_changed() {
  windows_serial_ = ++serial_;
  wake(0);
}

bool Pulse::newer(std::int64_t pid, std::uint64_t since) const {
  if (windows_serial_ > since) return true;
  if (pid == 0) return serial_ > since;
  const auto last = tree_serials_.find(pid);
  return last != tree_serials_.end() && last->second > since;
}

void Pulse::wake(std::int64_t pid) {
  last_said_ns_ = desktop_.monotonic_ns();
  for (auto waiter = waiters_.begin(); waiter != waiters_.end(); ++waiter) {
    if (waiter->said || (pid != 0 && waiter->pid != 0 && waiter->pid != pid)) continue;
    waiter->said = true;
    desktop_.forget_timer(waiter->timer);
    arm(waiter, 0);
  }
}

void Pulse::give_up(const Life& life) {
  for (auto waiter = waiters_.begin(); waiter != waiters_.end(); ++waiter) {
    if (waiter->life != &life || waiter->said) continue;
    desktop_.forget_timer(waiter->timer);
    arm(waiter, 0);
  }
}

void Pulse::end() {
  ended_ = true;
  // No timer runs any more. Whoever is resumed takes its entry out of the list.
  while (!waiters_.empty()) {
    const Waiter first = waiters_.front();
    desktop_.forget_timer(first.timer);
    first.life->resume(first.waiting);
  }
}

void Pulse::arm(std::list<Waiter>::iterator waiter, std::int64_t delay_ns) {
  waiter->timer =
      desktop_.start_timer(delay_ns, [waiter] { waiter->life->resume(waiter->waiting); });
}

Task<bool> Pulse::next(std::int64_t pid, std::uint64_t since, std::int64_t until_ns,
                       const Life& life) {
  if (ended_) co_return false;
  if (newer(pid, since)) co_return true;
  Wait wait{*this, pid, until_ns, life};
  const bool said = co_await wait;
  co_return said;
}

}  // namespace gantry::observation
