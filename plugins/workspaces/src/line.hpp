// SPDX-License-Identifier: Apache-2.0
#pragma once
// Pieces of work of which each begins when the one before is over. Strand only.

#include <deque>
#include <functional>
#include <utility>

namespace gantry::workspaces {

class Line {
 public:
  using Over = std::function<void()>;
  using Work = std::function<void(Over)>;

  /// `work` calls what it is given once, when it is over: at once, or later on the strand.
  void add(Work work) {
    waiting_.push_back(std::move(work));
    go_on();
  }

 private:
  /// A loop, so that many that are over at once do not lie on the stack above each other.
  void go_on() {
    if (going_on_) return;
    going_on_ = true;
    while (!busy_ && !waiting_.empty()) {
      busy_ = true;
      const Work work = std::move(waiting_.front());
      waiting_.pop_front();
      work([this] {
        busy_ = false;
        go_on();
      });
    }
    going_on_ = false;
  }

  std::deque<Work> waiting_;
  bool busy_ = false;
  bool going_on_ = false;
};

}  // namespace gantry::workspaces
