// SPDX-License-Identifier: Apache-2.0
//
// ReadQueue: reads on a few threads of the blocking pool, in the order in which they were asked
// for. Each thread has a session of the database, which takes some 55 KB and a millisecond to open:
// a thousand readers at once would take a thousand of them, and answer no sooner.
#pragma once

#include <gantry/host.hpp>

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>

namespace gantry::store {

class ReadQueue : public std::enable_shared_from_this<ReadQueue> {
 public:
  using Work = std::function<void()>;

  ReadQueue(Host& host, std::size_t most_threads) : host_(host), most_(most_threads) {}

  /// Runs `work`, which throws nothing, on one of the threads. [thread: the plugin's strand]
  void add(Work work);
  /// Drops what has not begun.
  void clear();

 private:
  void run();

  Host& host_;
  const std::size_t most_;
  std::mutex mutex_;
  std::deque<Work> waiting_;
  std::size_t threads_ = 0;
};

}  // namespace gantry::store
