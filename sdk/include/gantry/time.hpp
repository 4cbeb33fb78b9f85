// SPDX-License-Identifier: Apache-2.0
//
// Times and cancellation. All instants are nanoseconds on the host's clocks, so that tests can
// move time by hand; nothing here reads a clock by itself.
#pragma once

#include <gantry/abi/exec.h>

#include <chrono>
#include <cstdint>
#include <limits>
#include <utility>

namespace gantry {

using Duration = std::chrono::nanoseconds;

/// A point on the host's monotonic clock.
struct Deadline {
  std::int64_t at_ns = std::numeric_limits<std::int64_t>::max();  // max: never

  [[nodiscard]] bool never() const { return at_ns == std::numeric_limits<std::int64_t>::max(); }
  [[nodiscard]] Duration left(std::int64_t now_ns) const {
    return never() ? Duration::max() : Duration(at_ns > now_ns ? at_ns - now_ns : 0);
  }
};

/// The trace, deadline and cancellation that belong to a piece of work. May be moved to and read on
/// any thread, until the plugin is destroyed.
class Context {
 public:
  Context() = default;
  Context(const gantry_host_exec* exec, gantry_context* adopted) : exec_(exec), raw_(adopted) {}
  Context(Context&& other) noexcept
      : exec_(other.exec_), raw_(std::exchange(other.raw_, nullptr)) {}
  Context& operator=(Context&& other) noexcept {
    std::swap(exec_, other.exec_);
    std::swap(raw_, other.raw_);
    return *this;
  }
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  ~Context() {
    if (raw_ != nullptr) exec_->context_release(raw_);
  }
  [[nodiscard]] bool cancelled() const {
    return raw_ != nullptr && exec_->context_cancelled(raw_) != 0;
  }
  [[nodiscard]] Deadline deadline() const {
    return raw_ == nullptr ? Deadline{} : Deadline{exec_->context_deadline_ns(raw_)};
  }
  [[nodiscard]] gantry_context* raw() const { return raw_; }

 private:
  const gantry_host_exec* exec_ = nullptr;
  gantry_context* raw_ = nullptr;
};

/// Gives the thread its previous context back when it goes; lives on the stack of one thread.
class ContextScope {
 public:
  ContextScope(gantry_host* host, const gantry_host_exec* exec, const Context& context)
      : host_(host), exec_(exec) {
    if (context.raw() != nullptr) previous_ = exec_->context_enter(host_, context.raw());
  }
  ContextScope(const ContextScope&) = delete;
  ContextScope& operator=(const ContextScope&) = delete;
  ~ContextScope() {
    if (previous_ != nullptr) (void)exec_->context_enter(host_, previous_);
  }

 private:
  gantry_host* host_;
  const gantry_host_exec* exec_;
  gantry_context* previous_ = nullptr;
};

}  // namespace gantry
