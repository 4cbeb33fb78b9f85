// SPDX-License-Identifier: Apache-2.0
#pragma once
// One read for all who wait for the same thing. A result serves whoever was due before its read
// began, so nobody is shown something older than a read of their own would show. At most one read
// is under way; who comes too late for it shares the next one. Used from the plugin's strand.

#include <coroutine>
#include <cstdint>
#include <list>
#include <optional>
#include <utility>

#include "desktop.hpp"
#include "errors.hpp"
#include "life.hpp"

namespace gantry::observation {

template <class T>
class SharedRead {
 public:
  explicit SharedRead(Desktop& desktop) : desktop_(desktop) {}
  SharedRead(const SharedRead&) = delete;
  SharedRead& operator=(const SharedRead&) = delete;

  /// What `read(last)` gives, called here or by somebody else at `due_ns` or later; `last` is the
  /// result before, if any. A failure is its caller's own: it may have been given up. This object,
  /// `read` and `life` must outlive the task.
  template <class Read>
  Task<Outcome<T>> get(std::int64_t due_ns, const Life& life, const Read& read) {
    for (;;) {
      if (result_ && began_ns_ >= due_ns) co_return *result_;
      if (!reading_) break;
      Wait wait{*this, life};
      co_await wait;
    }
    const Reading reading(*this);
    const std::int64_t began = desktop_.monotonic_ns();
    Task<Outcome<T>> task = read(result_);
    Outcome<T> outcome = co_await std::move(task);
    if (outcome.ok()) {
      result_ = *outcome;
      began_ns_ = began;
    }
    co_return outcome;
  }

  [[nodiscard]] bool idle() const { return !reading_ && waiting_.empty() && woken_ == 0; }

 private:
  struct Waiter {
    const Life* life;
    std::coroutine_handle<> waiting;
  };
  struct Wait {
    SharedRead& read;
    const Life& life;
    [[nodiscard]] bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> waiting) {
      read.waiting_.push_back({&life, waiting});
    }
    void await_resume() const noexcept { --read.woken_; }
  };

  /// However the read ends, the others go on.
  struct Reading {
    explicit Reading(SharedRead& of) : read(of) { read.reading_ = true; }
    Reading(const Reading&) = delete;
    Reading& operator=(const Reading&) = delete;
    ~Reading() {
      read.reading_ = false;
      read.wake();
    }
    SharedRead& read;
  };

  /// Each as work of its own, so that many are no deep stack.
  void wake() {
    woken_ += waiting_.size();
    for (const Waiter& waiter : std::exchange(waiting_, {})) {
      desktop_.start_timer(0, [waiter] { waiter.life->resume(waiter.waiting); });
    }
  }

  Desktop& desktop_;
  std::optional<T> result_;
  std::int64_t began_ns_ = 0;
  bool reading_ = false;
  std::list<Waiter> waiting_;
  std::size_t woken_ = 0;  ///< Resumed soon.
};

}  // namespace gantry::observation
