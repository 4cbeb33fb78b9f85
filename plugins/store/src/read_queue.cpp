// SPDX-License-Identifier: Apache-2.0
#include "read_queue.hpp"

#include <utility>

namespace gantry::store {

void ReadQueue::add(Work work) {
  {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(std::move(work));
    if (threads_ == most_) return;
    ++threads_;
  }
  host_.blocking([self = shared_from_this()] { self->run(); });
}

void ReadQueue::clear() {
  std::deque<Work> dropped;
  const std::lock_guard lock(mutex_);
  dropped.swap(waiting_);
}

void ReadQueue::run() {
  for (;;) {
    Work work;
    {
      const std::lock_guard lock(mutex_);
      if (waiting_.empty()) {
        --threads_;
        return;
      }
      work = std::move(waiting_.front());
      waiting_.pop_front();
    }
    try {
      work();
    } catch (...) {
      // The rule is broken, and this thread leaves; the reads behind go on in its stead.
      host_.blocking([self = shared_from_this()] { self->run(); });
      throw;
    }
  }
}

}  // namespace gantry::store
