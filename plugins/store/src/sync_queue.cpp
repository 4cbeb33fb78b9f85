// SPDX-License-Identifier: Apache-2.0
#include "sync_queue.hpp"

#include <utility>

namespace gantry::store {

void SyncQueue::add(std::shared_ptr<Store> store, Done done) {
  {
    const std::lock_guard lock(mutex_);
    waiting_.push_back({std::move(store), std::move(done)});
    if (std::exchange(running_, true)) return;
  }
  host_.blocking([self = shared_from_this()] { self->finish(); });
}

/// What is taken was committed before, so a sync that begins now makes sure of it.
std::vector<SyncQueue::Row> SyncQueue::take() {
  const std::lock_guard lock(mutex_);
  if (waiting_.empty()) running_ = false;
  return std::exchange(waiting_, {});
}

void SyncQueue::finish() {
  for (auto rows = take(); !rows.empty(); rows = take()) {
    std::vector<Result<void>> synced;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const bool again = i > 0 && rows[i].store == rows[i - 1].store;
      synced.push_back(again ? synced.back() : rows[i].store->sync());
    }
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i].done(synced[i]);
  }
}

}  // namespace gantry::store
