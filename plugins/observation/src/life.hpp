// SPDX-License-Identifier: Apache-2.0
#pragma once
// The life of one call, as a tool needs it that has to wait: whether somebody still wants the
// answer, until when, and how to go on in the call's own context afterwards.

#include <coroutine>
#include <cstdint>
#include <limits>

namespace gantry::observation {

/// The base class is the life of a call that nobody gives up: the engine's own calls, and tests.
class Life {
 public:
  Life() = default;
  Life(const Life&) = delete;
  Life& operator=(const Life&) = delete;
  virtual ~Life() = default;

  /// Whoever asked has gone away, or cancelled.
  [[nodiscard]] virtual bool given_up() const { return false; }
  /// On the monotonic clock.
  [[nodiscard]] virtual std::int64_t deadline_ns() const {
    return std::numeric_limits<std::int64_t>::max();
  }
  /// Resumes a coroutine of this call, whatever work it was woken by.
  virtual void resume(std::coroutine_handle<> waiting) const { waiting.resume(); }

  /// Nobody will read the answer.
  [[nodiscard]] bool over(std::int64_t now_ns) const {
    return given_up() || now_ns >= deadline_ns();
  }
};

}  // namespace gantry::observation
