// SPDX-License-Identifier: Apache-2.0
#include "service/errands.hpp"

#include <utility>

namespace gantry::service {

void Errands::post(TaskLoop::Task errand) {
  {
    const std::lock_guard lock(mutex_);
    if (loop_ == nullptr) return;
    due_.push_back(std::move(errand));
    // Whoever comes first: the loop, or a wait of its thread.
    loop_->post([self = shared_from_this()] { self->run_due(); });
  }
  came_.notify_all();
}

void Errands::run_due() {
  while (true) {
    TaskLoop::Task errand;
    {
      const std::lock_guard lock(mutex_);
      if (due_.empty()) return;
      errand = std::move(due_.front());
      due_.erase(due_.begin());
    }
    errand();
  }
}

bool Errands::run_until(Clock::time_point deadline, const std::function<bool()>& over) {
  while (!over()) {
    {
      std::unique_lock lock(mutex_);
      if (!came_.wait_until(lock, deadline, [this] { return !due_.empty(); })) return false;
    }
    run_due();
  }
  return true;
}

void Errands::close() {
  const std::lock_guard lock(mutex_);
  loop_ = nullptr;
  due_.clear();
}

}  // namespace gantry::service
