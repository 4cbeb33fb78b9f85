// SPDX-License-Identifier: Apache-2.0
#include "exec/host_timer.hpp"

#include "exec/context.hpp"
#include "exec/exec.hpp"
#include "exec/strand_group.hpp"
#include "host.hpp"

#include <algorithm>
#include <limits>

namespace gantry::kernel {

HostTimer::HostTimer(gantry_host& host, StrandGroup& group, Strand& strand, std::int64_t period_ns,
                     gantry_closure work)
    : host_(host),
      group_(group),
      strand_(strand),
      period_ns_(std::max<std::int64_t>(period_ns, 0)),
      work_(work) {}

std::uint64_t HostTimer::start(std::int64_t now_ns, std::int64_t delay_ns) {
  // Whoever finds the timer in the table waits for this lock, so it cannot be cancelled before it
  // is armed, nor finish before it knows its number.
  std::lock_guard lock(mutex_);
  const std::uint64_t id = group_.timers_.insert(Ref<HostTimer>::share(this));
  id_ = id;
  delay_ns = std::max<std::int64_t>(delay_ns, 0);
  const std::int64_t latest = std::numeric_limits<std::int64_t>::max() - 1;
  expiry_ns_ = delay_ns > latest - now_ns ? latest : now_ns + delay_ns;
  host_.exec->timers().arm(*this, expiry_ns_);
  return id;
}

void HostTimer::on_due() {
  {
    std::lock_guard lock(mutex_);
    if (cancelled_) return;
    if (period_ns_ > 0) {
      const std::int64_t late = std::max<std::int64_t>(host_.exec->now_ns() - expiry_ns_, 0);
      expiry_ns_ += (late / period_ns_ + 1) * period_ns_;
      host_.exec->timers().arm(*this, expiry_ns_);
    }
    if (queued_) return;
    queued_ = true;
  }
  retain();
  strand_.post(*this, Lane::interactive);
}

void HostTimer::cancel() {
  bool post = false;
  {
    std::lock_guard lock(mutex_);
    if (cancelled_ || finished_) return;
    cancelled_ = true;
    post = !queued_ && !running_;  // otherwise the run in hand finishes it
    if (post) queued_ = true;
  }
  host_.exec->timers().disarm(*this);
  if (post) {
    retain();
    strand_.post(*this, Lane::interactive);
  }
}

void HostTimer::run() {
  {
    std::unique_lock lock(mutex_);
    queued_ = false;
    if (!cancelled_) {
      running_ = true;
      lock.unlock();
      call_plugin(*host_.exec, host_, "timer", [this] {
        const Context fresh;
        ContextScope scope(fresh);
        work_.run(work_.user);
      });
      lock.lock();
      running_ = false;
    }
    if (cancelled_ || period_ns_ == 0) finish(lock);
  }
  release();
}

void HostTimer::drop() {
  {
    std::unique_lock lock(mutex_);
    queued_ = false;
    cancelled_ = true;
    finish(lock);
  }
  host_.exec->timers().disarm(*this);
  release();
}

void HostTimer::finish(std::unique_lock<std::mutex>& lock) {
  if (finished_) return;
  finished_ = true;
  lock.unlock();
  group_.timers_.take(id_);
  if (work_.drop != nullptr) {
    call_plugin(*host_.exec, host_, "drop of a timer", [this] { work_.drop(work_.user); });
  }
  lock.lock();
}

}  // namespace gantry::kernel
