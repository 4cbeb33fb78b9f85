// SPDX-License-Identifier: Apache-2.0
// Task<T>: a lazy coroutine that runs on the bus thread only. Awaiting a task starts it; finishing
// it resumes the awaiter directly. `start()` runs one detached and calls back with the result.
// Tasks are never destroyed half-way: whatever they wait for (a batch of calls, a timer) always
// completes, at the latest when the loop shuts down, so every task unwinds by itself.
// GCC 12 destroys some temporaries of a co_await expression twice (braced arguments, a lambda with
// captures that becomes a std::function): name them, or the task, in a statement of their own.
#pragma once

#include <coroutine>
#include <exception>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

namespace gantry::atspi {

template <class T>
class [[nodiscard]] Task {
 public:
  struct promise_type {  // NOLINT(readability-identifier-naming): the language looks it up by name
    std::optional<T> value;
    std::coroutine_handle<> awaiter = std::noop_coroutine();

    Task get_return_object() {
      return Task(std::coroutine_handle<promise_type>::from_promise(*this));
    }
    std::suspend_always initial_suspend() noexcept { return {}; }
    auto final_suspend() noexcept {
      struct Resume {
        bool await_ready() noexcept { return false; }
        std::coroutine_handle<> await_suspend(std::coroutine_handle<promise_type> self) noexcept {
          return self.promise().awaiter;
        }
        void await_resume() noexcept {}
      };
      return Resume{};
    }
    void return_value(T result) { value = std::move(result); }
    // Nothing below throws except on memory exhaustion, which the daemon does not survive anyway.
    void unhandled_exception() { std::terminate(); }
  };

  explicit Task(std::coroutine_handle<promise_type> handle) : handle_(handle) {}
  Task(Task&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Task(const Task&) = delete;
  Task& operator=(const Task&) = delete;
  Task& operator=(Task&&) = delete;
  ~Task() {
    if (handle_) handle_.destroy();
  }

  bool await_ready() const noexcept { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> awaiter) {
    handle_.promise().awaiter = awaiter;
    return handle_;
  }
  T await_resume() { return std::move(*handle_.promise().value); }

 private:
  std::coroutine_handle<promise_type> handle_;
};

namespace detail {

/// A coroutine that owns itself: started at once, freed at its end.
struct Detached {
  struct promise_type {  // NOLINT(readability-identifier-naming): see above
    Detached get_return_object() { return {}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
};

template <class T>
Detached run_detached(Task<T> task, std::function<void(T)> done) {
  T result = co_await task;
  if (done) done(std::move(result));
}

}  // namespace detail

template <class T>
void start(Task<T> task, std::function<void(T)> done);

/// Runs all tasks side by side; resumes when the last has finished.
template <class T>
auto all(std::vector<Task<T>> tasks) {
  struct All {
    std::vector<Task<T>> tasks;
    std::vector<std::optional<T>> results;
    std::size_t left = 0;
    bool await_ready() const { return tasks.empty(); }
    bool await_suspend(std::coroutine_handle<> self) {
      results.resize(tasks.size());
      left = tasks.size() + 1;  // one for this loop, so that nobody resumes us inside it
      for (std::size_t i = 0; i < tasks.size(); ++i) {
        start<T>(std::move(tasks[i]), [this, i, self](T result) {
          results[i] = std::move(result);
          if (--left == 0) self.resume();
        });
      }
      return --left > 0;
    }
    std::vector<T> await_resume() {
      std::vector<T> values;
      values.reserve(results.size());
      for (auto& result : results) values.push_back(std::move(*result));
      return values;
    }
  };
  return All{std::move(tasks), {}, 0};
}

/// Starts `task` now; `done` gets its result, on the same thread, now or later.
template <class T>
void start(Task<T> task, std::function<void(T)> done) {
  detail::run_detached<T>(std::move(task), std::move(done));
}

}  // namespace gantry::atspi
