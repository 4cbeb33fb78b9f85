// SPDX-License-Identifier: Apache-2.0
#include "exec/strand_group.hpp"

#include "exec/exec.hpp"
#include "exec/host_timer.hpp"
#include "exec/pool.hpp"
#include "host.hpp"

#include <chrono>
#include <limits>

namespace gantry::kernel {

namespace {

std::chrono::steady_clock::time_point steady_at(std::int64_t ns) {
  return std::chrono::steady_clock::time_point(std::chrono::nanoseconds(ns));
}

void drop_closure(gantry_closure& closure) {
  if (closure.drop != nullptr) closure.drop(closure.user);
}

struct PostItem final : Item {
  PostItem(gantry_host& on, const gantry_closure& what)
      : host(on), work(what), context(current_context()) {}
  void run() override {
    call_plugin(*host.exec, host, "posted work", [this] {
      ContextScope scope(context);
      work.run(work.user);
    });
    drop();
  }
  void drop() override {
    call_plugin(*host.exec, host, "drop of posted work", [this] { drop_closure(work); });
    delete this;
  }
  gantry_host& host;
  gantry_closure work;
  Context context;
};

struct LifecycleItem final : Item {
  explicit LifecycleItem(std::function<void()> what) : work(std::move(what)) {}
  void run() override {
    work();
    delete this;
  }
  void drop() override { delete this; }
  bool may_wait() const override { return true; }
  std::function<void()> work;
};

// Runs `work` once as many strands as there are have executed their item.
struct AfterRunning {
  std::atomic<std::size_t> left;
  std::function<void()> work;
};

struct AfterRunningItem final : Item {
  explicit AfterRunningItem(std::shared_ptr<AfterRunning> what) : shared(std::move(what)) {}
  void run() override {
    if (shared->left.fetch_sub(1, std::memory_order_acq_rel) == 1) shared->work();
    delete this;
  }
  void drop() override { run(); }
  std::shared_ptr<AfterRunning> shared;
};

}  // namespace

Item& make_closure_item(gantry_host& host, const gantry_closure& work) {
  return *new PostItem(host, work);
}

struct StrandGroup::BlockingItem final : Item {
  BlockingItem(StrandGroup& in, const gantry_closure& what)
      : group(in), work(what), context(current_context()) {}
  void run() override {
    if (!group.closing()) {
      call_plugin(group.exec_, group.host_, "blocking work", [this] {
        ContextScope scope(context);
        work.run(work.user);
      });
    }
    drop();
  }
  void drop() override {
    call_plugin(group.exec_, group.host_, "drop of blocking work", [this] { drop_closure(work); });
    StrandGroup& done = group;
    delete this;
    done.blocking_done();
  }
  StrandGroup& group;
  gantry_closure work;
  Context context;
};

struct StrandGroup::Barrier {
  std::mutex mutex;
  std::condition_variable passed;
  std::size_t left = 0;
};

StrandGroup::StrandGroup(gantry_host& host, Exec& exec, const HostOptions& options)
    : host_(host), exec_(exec) {
  const unsigned count = options.dedicated || options.strands == 0 ? 1 : options.strands;
  for (unsigned i = 0; i < count; ++i) {
    strands_.push_back(std::make_unique<Strand>(exec.pool(), options.held));
  }
  if (options.dedicated) {
    dedicated_ = std::make_unique<DedicatedThread>(*strands_[0], options.name.c_str());
    strands_[0]->set_dedicated(dedicated_.get());
  }
}

StrandGroup::~StrandGroup() { dedicated_.reset(); }

Strand& StrandGroup::for_key(std::uint64_t key) {
  if (strands_.size() == 1) return *strands_[0];
  // Keys are often small counters or pointers: the multiplication spreads both.
  return *strands_[((key * 0x9e3779b97f4a7c15ull) >> 32) % strands_.size()];
}

Strand& StrandGroup::home(std::uint64_t key) {
  Strand* current = Strand::current();
  if (current != nullptr) {
    for (auto& strand : strands_) {
      if (strand.get() == current) return *strand;
    }
  }
  return for_key(key);
}

Strand& StrandGroup::any() {
  if (strands_.size() == 1) return *strands_[0];
  return *strands_[round_robin_.fetch_add(1, std::memory_order_relaxed) % strands_.size()];
}

std::size_t StrandGroup::index_of(const Strand& strand) const {
  for (std::size_t i = 0; i + 1 < strands_.size(); ++i) {
    if (strands_[i].get() == &strand) return i;
  }
  return strands_.size() - 1;
}

void StrandGroup::post(std::uint64_t key, Lane lane, gantry_closure work) {
  auto* item = new PostItem(host_, work);
  if (closing()) {
    item->drop();
  } else {
    for_key(key).post(*item, lane);
  }
}

void StrandGroup::blocking(gantry_closure work) {
  {
    std::lock_guard lock(mutex_);
    ++blocking_;
  }
  auto* item = new BlockingItem(*this, work);
  if (closing()) {
    item->drop();
  } else {
    exec_.pool().blocking().submit(*item);
  }
}

void StrandGroup::blocking_done() {
  std::lock_guard lock(mutex_);
  if (--blocking_ == 0) blocking_ended_.notify_all();
}

unsigned StrandGroup::running_blocking() const {
  std::lock_guard lock(mutex_);
  return blocking_;
}

std::uint64_t StrandGroup::timer_start(std::int64_t delay_ns, std::int64_t period_ns,
                                       std::uint64_t key, gantry_closure work) {
  if (closing()) {
    call_plugin(exec_, host_, "drop of a timer", [&] { drop_closure(work); });
    return 0;
  }
  auto timer = make_ref<HostTimer>(host_, *this, for_key(key), period_ns, work);
  const std::uint64_t id = timer->start(exec_.now_ns(), delay_ns);
  if (closing()) timer->cancel();  // begin_close() may have looked before the insertion
  return id;
}

void StrandGroup::timer_cancel(std::uint64_t timer) {
  if (Ref<HostTimer> found = timers_.take(timer)) found->cancel();
}

void StrandGroup::run_lifecycle(std::function<void()> work) {
  strands_[0]->post(*new LifecycleItem(std::move(work)), Lane::system);
}

void StrandGroup::after_running(std::function<void()> work) {
  auto shared = std::make_shared<AfterRunning>();
  shared->left = strands_.size();
  shared->work = std::move(work);
  for (auto& strand : strands_) strand->post(*new AfterRunningItem(shared), Lane::system);
}

void StrandGroup::release_hold() {
  for (auto& strand : strands_) strand->release_hold();
}

void StrandGroup::begin_close() {
  if (closing_.exchange(true)) return;
  for (const Ref<HostTimer>& timer : timers_.all()) timer->cancel();
  for (auto& strand : strands_) strand->close();
}

namespace {
template <class B>
struct BarrierItem final : Item {
  explicit BarrierItem(std::shared_ptr<B> what) : barrier(std::move(what)) {}
  void run() override {
    {
      std::lock_guard lock(barrier->mutex);
      if (--barrier->left == 0) barrier->passed.notify_all();
    }
    delete this;
  }
  void drop() override { run(); }
  std::shared_ptr<B> barrier;
};
}  // namespace

bool StrandGroup::wait_closed(std::int64_t deadline_ns) {
  // One barrier per lane, because a later item of one lane may overtake an earlier one of another.
  if (barrier_ == nullptr) {
    barrier_ = std::make_shared<Barrier>();
    barrier_->left = strands_.size() * kLaneCount;
    for (auto& strand : strands_) {
      for (std::size_t lane = 0; lane < kLaneCount; ++lane) {
        strand->post(*new BarrierItem<Barrier>(barrier_), static_cast<Lane>(lane));
      }
    }
  }
  {
    std::unique_lock lock(barrier_->mutex);
    if (!barrier_->passed.wait_until(lock, steady_at(deadline_ns),
                                     [this] { return barrier_->left == 0; })) {
      return false;
    }
  }
  std::unique_lock lock(mutex_);
  return blocking_ended_.wait_until(lock, steady_at(deadline_ns),
                                    [this] { return blocking_ == 0; });
}

bool StrandGroup::drain() {
  strands_[0]->set_dedicated(nullptr);  // a late post must not meet a thread that is gone
  dedicated_.reset();
  bool any = false;
  for (auto& strand : strands_) any = strand->drain() || any;
  return any;
}

std::string StrandGroup::what_runs() const {
  std::size_t strands = 0;
  if (barrier_ != nullptr) {
    std::lock_guard lock(barrier_->mutex);
    strands = (barrier_->left + kLaneCount - 1) / kLaneCount;
  }
  std::string text;
  if (strands != 0) text = "a handler on " + std::to_string(strands) + " strand(s)";
  if (const unsigned blocking = running_blocking(); blocking != 0) {
    if (!text.empty()) text += " and ";
    text += std::to_string(blocking) + " blocking job(s)";
  }
  return text;
}

}  // namespace gantry::kernel
