// SPDX-License-Identifier: Apache-2.0
#pragma once
// Jobs of which only so many run side by side, the others in the order in which they came: whoever
// asks for many at once takes neither all threads nor all memory. Used from the plugin's strand.

#include <cstddef>
#include <deque>
#include <functional>
#include <utility>

namespace gantry::observation {

class JobQueue {
 public:
  explicit JobQueue(std::size_t at_once) : at_once_(at_once) {}
  JobQueue(const JobQueue&) = delete;
  JobQueue& operator=(const JobQueue&) = delete;

  /// Starts the job now, or when its turn comes; over() must follow when it has ended.
  void add(std::function<void()> start) {
    waiting_.push_back(std::move(start));
    start_next();
  }
  void over() {
    --running_;
    start_next();
  }

 private:
  void start_next() {
    while (running_ < at_once_ && !waiting_.empty()) {
      const std::function<void()> start = std::move(waiting_.front());
      waiting_.pop_front();
      ++running_;
      start();
    }
  }

  const std::size_t at_once_;
  std::size_t running_ = 0;
  std::deque<std::function<void()>> waiting_;
};

}  // namespace gantry::observation
