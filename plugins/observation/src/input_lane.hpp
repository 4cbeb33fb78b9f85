// SPDX-License-Identifier: Apache-2.0
#pragma once
// One pair of hands: everything that acts on the desktop takes its turn here, whatever protocol and
// client it comes from. Clients take turns round-robin, the calls of one client in the order they
// came. A turn covers the whole action: from the last look at the element to the look afterwards.
// Used from the plugin's strand.

#include <coroutine>
#include <deque>
#include <list>
#include <string>
#include <utility>

#include "desktop.hpp"
#include "errors.hpp"
#include "life.hpp"

namespace gantry::observation {

class InputLane {
 public:
  explicit InputLane(Desktop& desktop) : desktop_(desktop) {}
  InputLane(const InputLane&) = delete;
  InputLane& operator=(const InputLane&) = delete;

  /// The right to act; ends when it goes.
  class Turn {
   public:
    explicit Turn(InputLane& lane) : lane_(&lane) {}
    Turn(Turn&& other) noexcept : lane_(std::exchange(other.lane_, nullptr)) {}
    Turn& operator=(Turn&& other) noexcept {
      std::swap(lane_, other.lane_);
      return *this;
    }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    ~Turn() {
      if (lane_ != nullptr) lane_->pass_on();
    }

   private:
    InputLane* lane_;
  };

  /// Waits for the caller's turn. Timeout when the call was given up before, or the lane has ended:
  /// it must not act any more. `life` must outlive the wait.
  Task<Outcome<Turn>> enter(const std::string& caller, const Life& life);

  /// The engine stops: whoever waits is told here and now, and nobody gets a turn any more.
  void end();

  /// Calls that wait for their turn.
  [[nodiscard]] std::size_t waiting() const;

 private:
  struct Waiter {
    const Life* life;
    std::coroutine_handle<> waiting;
  };
  struct Queue {
    std::string caller;
    std::deque<Waiter> calls;
  };
  struct Wait;

  void pass_on();

  Desktop& desktop_;
  bool taken_ = false;
  bool ended_ = false;
  std::list<Queue> queues_;  ///< In the order in which their callers get the next turn.
};

}  // namespace gantry::observation
