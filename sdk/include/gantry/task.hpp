// SPDX-License-Identifier: Apache-2.0
//
// Coroutines for plugins: work that asks others over the bus, step after step, without holding a
// thread in between and without a callback for each step.
//
// A Task starts when it is awaited and resumes its caller when it returns. Everything runs on the
// plugin's strand: whoever completes an awaited step must resume it there. An exception (only
// memory can run out) travels to the awaiting task and ends in the `failed` function of spawn().
//
// Rule: what is passed to an awaited task is a named variable (moved from, or a reference to
// something that outlives the task). GCC 12 destroys aggregate temporaries in an await expression
// twice.

#pragma once

#include <coroutine>
#include <cstddef>
#include <exception>
#include <list>
#include <optional>
#include <utility>

namespace gantry {

template <class T>
class [[nodiscard]] Task {
 public:
  struct promise_type;  // NOLINT(readability-identifier-naming): the language looks it up by name
  using Handle = std::coroutine_handle<promise_type>;

  struct promise_type {  // NOLINT(readability-identifier-naming): see above
    std::optional<T> value;
    std::exception_ptr exception;
    std::coroutine_handle<> caller;

    struct ResumeCaller {
      [[nodiscard]] bool await_ready() const noexcept { return false; }
      std::coroutine_handle<> await_suspend(Handle done) const noexcept {
        const std::coroutine_handle<> caller = done.promise().caller;
        return caller ? caller : std::coroutine_handle<>(std::noop_coroutine());
      }
      void await_resume() const noexcept {}
    };

    Task get_return_object() { return Task(Handle::from_promise(*this)); }
    std::suspend_always initial_suspend() noexcept { return {}; }
    ResumeCaller final_suspend() noexcept { return {}; }
    void return_value(T result) { value.emplace(std::move(result)); }
    void unhandled_exception() { exception = std::current_exception(); }
  };

  explicit Task(Handle handle) : handle_(handle) {}
  Task(Task&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Task& operator=(Task&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  Task(const Task&) = delete;
  Task& operator=(const Task&) = delete;
  ~Task() {
    if (handle_) handle_.destroy();
  }

  [[nodiscard]] bool await_ready() const noexcept { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> caller) noexcept {
    handle_.promise().caller = caller;
    return handle_;
  }
  T await_resume() {
    promise_type& promise = handle_.promise();
    if (promise.exception) std::rethrow_exception(promise.exception);
    return std::move(*promise.value);
  }

 private:
  Handle handle_;
};

/// Awaits something that reports through a callback: `start(done)` must lead to exactly one
/// `done(T)`, now or later, on the strand.
template <class T, class Start>
class Completion {
 public:
  explicit Completion(Start start) : start_(std::move(start)) {}

  [[nodiscard]] bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> waiting) {
    // `done` may run before start_ returns; nothing of this object is touched after that.
    start_([this, waiting](T result) {
      result_.emplace(std::move(result));
      waiting.resume();
    });
  }
  T await_resume() { return std::move(*result_); }

 private:
  Start start_;
  std::optional<T> result_;
};

template <class T, class Start>
Completion<T, Start> completion(Start start) {
  return Completion<T, Start>(std::move(start));
}

/// The tasks that were begun and have not ended. What still waits when the set goes is destroyed
/// where it stands, with everything that it holds; nothing may resume it afterwards.
class RunningTasks {
 public:
  RunningTasks() = default;
  RunningTasks(const RunningTasks&) = delete;
  RunningTasks& operator=(const RunningTasks&) = delete;
  ~RunningTasks() {
    while (!frames_.empty()) frames_.front().destroy();
  }

  [[nodiscard]] std::size_t size() const { return frames_.size(); }

 private:
  friend struct Detached;
  std::list<std::coroutine_handle<>> frames_;
};

/// A coroutine that nobody awaits; it frees itself when it ends.
struct Detached {
  struct promise_type {  // NOLINT(readability-identifier-naming): see above
    template <class... Rest>
    explicit promise_type(RunningTasks& running, Rest&...)
        : running_(running),
          place_(running.frames_.insert(
              running.frames_.end(), std::coroutine_handle<promise_type>::from_promise(*this))) {}
    promise_type(const promise_type&) = delete;
    promise_type& operator=(const promise_type&) = delete;
    ~promise_type() { running_.frames_.erase(place_); }

    Detached get_return_object() { return {}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }  // spawn() has caught everything

   private:
    RunningTasks& running_;
    std::list<std::coroutine_handle<>>::iterator place_;
  };
};

/// Runs a task to its end and hands its result to `done`; an exception goes to `failed`. Neither is
/// called when `running`, which outlives what it holds, goes first.
template <class T, class Done, class Failed>
Detached spawn(RunningTasks&, Task<T> task, Done done, Failed failed) {
  std::exception_ptr exception;
  try {
    done(co_await std::move(task));
  } catch (...) {
    exception = std::current_exception();
  }
  if (exception) failed(exception);
}

}  // namespace gantry
