// SPDX-License-Identifier: Apache-2.0
//
// The context of some work: trace, absolute deadline, cancellation. A thread that runs a handler
// carries it; posts, blocking work and calls made there take it along.
#pragma once

#include "exec/ref.hpp"

#include <gantry/abi/exec.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <mutex>

namespace gantry::kernel {

inline constexpr std::int64_t kNoDeadline = std::numeric_limits<std::int64_t>::max();

// One piece of work that can be cancelled, with the work that was begun on its behalf below it.
// Thread-safe. No lock is held while on_cancelled() runs.
class CancelNode : public virtual RefCounted {
 public:
  ~CancelNode() override;
  bool cancelled() const noexcept { return cancelled_.load(std::memory_order_acquire); }
  // Marks this node, then everything below it. Only the first call has an effect.
  void cancel();
  // Puts `child` below this node. false when this node is already cancelled: nothing was linked.
  bool adopt_child(CancelNode& child);
  void disown_child(CancelNode& child);

 protected:
  virtual void on_cancelled() {}

 private:
  std::atomic<bool> cancelled_{false};
  std::mutex mutex_;
  CancelNode* first_child_ = nullptr;  // guarded by mutex_, as are the links of all children
  CancelNode* previous_ = nullptr;
  CancelNode* next_ = nullptr;
  bool linked_ = false;
};

struct Context {
  std::uint64_t trace_hi = 0, trace_lo = 0;  // both 0: no trace has begun yet
  std::uint64_t span = 0, parent_span = 0;
  std::int64_t deadline_ns = kNoDeadline;
  Ref<CancelNode> cancel;

  bool cancelled() const { return cancel && cancel->cancelled(); }
  // The context for a piece of work begun here: same trace (a new one if there is none), new span.
  Context child() const;
};

// A random 64-bit number that is never 0. Not for secrets.
std::uint64_t next_id();

// The calling thread's context; the empty root context when nothing set one.
const Context& current_context();

// Makes a context current for the lifetime of the scope. The context must outlive the scope.
class ContextScope {
 public:
  explicit ContextScope(const Context& context);
  ~ContextScope();
  ContextScope(const ContextScope&) = delete;
  ContextScope& operator=(const ContextScope&) = delete;

 private:
  alignas(8) std::byte frame_storage_[24];  // a gantry_context on the stack, see context.cpp
  gantry_context* previous_;
};

// The functions behind gantry_host_exec's context members.
gantry_context* context_retain_current();
gantry_context* context_swap_current(gantry_context* context);
void context_drop(gantry_context* context);
const Context& context_data(const gantry_context& context);

}  // namespace gantry::kernel
