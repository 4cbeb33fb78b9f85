// SPDX-License-Identifier: Apache-2.0
#include "exec/context.hpp"

#include <new>
#include <random>

// A context as the C tables see it. While a handler runs, its context is such an object on the
// worker's stack, so that an ordinary delivery allocates nothing; context_current() makes a counted
// copy of it, once per handler.
struct gantry_context {
  const gantry::kernel::Context* data;
  gantry_context* copy;             // stack frames only: the counted copy, made on demand
  std::atomic<std::uint32_t> refs;  // 0: a stack frame or the root, which are not counted
};

namespace gantry::kernel {

namespace {

struct CountedContext final : gantry_context {
  explicit CountedContext(const Context& from) : gantry_context{&own, nullptr, {}}, own(from) {
    refs.store(1, std::memory_order_relaxed);
  }
  Context own;
};

const Context& root_data() {
  static const Context root;
  return root;
}

gantry_context* root_context() {
  static gantry_context root{&root_data(), nullptr, {}};
  return &root;
}

thread_local gantry_context* t_current = nullptr;

std::uint64_t mix(std::uint64_t x) {  // SplitMix64's finalizer
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

}  // namespace

CancelNode::~CancelNode() {
  // Nobody else holds this node, so nothing below it can be unlinking itself now.
  while (first_child_ != nullptr) {
    CancelNode* child = first_child_;
    first_child_ = child->next_;
    child->previous_ = child->next_ = nullptr;
    child->linked_ = false;
    child->release();
  }
}

void CancelNode::cancel() {
  if (cancelled_.exchange(true, std::memory_order_acq_rel)) return;
  for (;;) {
    Ref<CancelNode> child;
    {
      std::lock_guard lock(mutex_);
      if (first_child_ == nullptr) break;
      child = Ref<CancelNode>::adopt(first_child_);  // the list's own reference
      first_child_ = child->next_;
      if (first_child_ != nullptr) first_child_->previous_ = nullptr;
      child->next_ = nullptr;
      child->linked_ = false;
    }
    child->cancel();
  }
  on_cancelled();
}

bool CancelNode::adopt_child(CancelNode& child) {
  std::lock_guard lock(mutex_);
  // cancel() sets the flag before it takes the lock, so a child linked here is seen by it.
  if (cancelled()) return false;
  child.retain();
  child.next_ = first_child_;
  if (first_child_ != nullptr) first_child_->previous_ = &child;
  first_child_ = &child;
  child.linked_ = true;
  return true;
}

void CancelNode::disown_child(CancelNode& child) {
  {
    std::lock_guard lock(mutex_);
    if (!child.linked_) return;
    (child.previous_ != nullptr ? child.previous_->next_ : first_child_) = child.next_;
    if (child.next_ != nullptr) child.next_->previous_ = child.previous_;
    child.previous_ = child.next_ = nullptr;
    child.linked_ = false;
  }
  child.release();
}

std::uint64_t next_id() {
  thread_local std::uint64_t state = [] {
    std::random_device device;
    return (std::uint64_t{device()} << 32) | device();
  }();
  std::uint64_t id;
  do {
    id = mix(state += 0x9e3779b97f4a7c15ull);
  } while (id == 0);
  return id;
}

Context Context::child() const {
  Context made = *this;
  if (trace_hi == 0 && trace_lo == 0) {
    made.trace_hi = next_id();
    made.trace_lo = next_id();
  }
  made.parent_span = span;
  made.span = next_id();
  return made;
}

const Context& current_context() { return t_current != nullptr ? *t_current->data : root_data(); }

ContextScope::ContextScope(const Context& context) : previous_(t_current) {
  static_assert(sizeof(frame_storage_) >= sizeof(gantry_context));
  t_current = new (frame_storage_) gantry_context{&context, nullptr, {}};
}

ContextScope::~ContextScope() {
  auto* frame = std::launder(reinterpret_cast<gantry_context*>(frame_storage_));
  if (frame->copy != nullptr) context_drop(frame->copy);
  t_current = previous_;
}

gantry_context* context_retain_current() {
  gantry_context* current = t_current;
  if (current == nullptr) return root_context();
  if (current->refs.load(std::memory_order_relaxed) == 0) {
    if (current == root_context()) return current;
    if (current->copy == nullptr) current->copy = new CountedContext(*current->data);
    current = current->copy;
  }
  current->refs.fetch_add(1, std::memory_order_relaxed);
  return current;
}

gantry_context* context_swap_current(gantry_context* context) {
  gantry_context* previous = t_current != nullptr ? t_current : root_context();
  t_current = context == root_context() ? nullptr : context;
  return previous;
}

void context_drop(gantry_context* context) {
  if (context == nullptr || context->refs.load(std::memory_order_relaxed) == 0) return;
  if (context->refs.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    delete static_cast<CountedContext*>(context);
  }
}

const Context& context_data(const gantry_context& context) { return *context.data; }

}  // namespace gantry::kernel
