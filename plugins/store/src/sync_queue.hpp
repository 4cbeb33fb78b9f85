// SPDX-License-Identifier: Apache-2.0
//
// SyncQueue: who waits until what was written is on the disk. One thread of the blocking pool waits
// for the disk; what is committed meanwhile waits for the next time, all of it together. The writer
// goes on beside it.
#pragma once

#include <gantry/host.hpp>

#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "store.hpp"

namespace gantry::store {

class SyncQueue : public std::enable_shared_from_this<SyncQueue> {
 public:
  using Done = std::function<void(const Result<void>&)>;

  explicit SyncQueue(Host& host) : host_(host) {}

  /// Calls `done` on another thread once what `store` has committed is on its disk, or with why it
  /// is not. [thread: the plugin's strand]
  void add(std::shared_ptr<Store> store, Done done);
  /// Sees to all that wait, on this thread. [thread: one where waiting is allowed]
  void finish();

 private:
  struct Row {
    std::shared_ptr<Store> store;
    Done done;
  };

  std::vector<Row> take();

  Host& host_;
  std::mutex mutex_;
  std::vector<Row> waiting_;
  bool running_ = false;
};

}  // namespace gantry::store
