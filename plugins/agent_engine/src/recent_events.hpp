// SPDX-License-Identifier: Apache-2.0
#pragma once
// The newest events of a session's log, as long as it has work: who begins to watch a turn that has
// just begun, and who asks again and again, need not wait for the store to read them. Strand only.

#include <gantry/contracts/session.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>

namespace gantry::agent {

class RecentEvents {
 public:
  explicit RecentEvents(std::size_t most_bytes) : most_bytes_(most_bytes) {}

  /// The next events of the log.
  void add(const Ref<SessionEvents>& events);
  void clear();
  /// Whether all that was added and comes after `sequence` is here, and is anything.
  [[nodiscard]] bool reach(std::uint64_t sequence) const;
  /// Calls `use` with each of them in order, until it answers false.
  template <class F>
  void each_after(std::uint64_t sequence, F use) const {
    for (const Kept& kept : batches_) {
      for (const SessionEvent& event : kept.events->events) {
        if (event.sequence > sequence && !use(event)) return;
      }
    }
  }

 private:
  struct Kept {
    Ref<SessionEvents> events;
    std::size_t bytes = 0;
  };

  std::size_t most_bytes_;
  std::size_t bytes_ = 0;
  std::deque<Kept> batches_;
};

}  // namespace gantry::agent
