// SPDX-License-Identifier: Apache-2.0
//
// Intrusive reference counting for objects that several threads, queues and plugins share. One
// word inside the object, no separate control block: a queued delivery stays one allocation.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

namespace gantry::kernel {

// Derive from it virtually where an object has several counted bases (a call is a timer, too).
class RefCounted {
 public:
  RefCounted() = default;
  RefCounted(const RefCounted&) = delete;
  RefCounted& operator=(const RefCounted&) = delete;
  virtual ~RefCounted() = default;

  void retain() noexcept { refs_.fetch_add(1, std::memory_order_relaxed); }
  void release() noexcept {
    if (refs_.fetch_sub(1, std::memory_order_acq_rel) == 1) destroy();
  }

 private:
  // Out of line: inlined through a virtual base, GCC 12 takes the delete for one of a wrong
  // address.
  void destroy() noexcept;
  std::atomic<std::uint32_t> refs_{1};
};

template <class T>
class Ref {
 public:
  Ref() = default;
  Ref(std::nullptr_t) {}
  // Takes over one reference that the caller holds.
  static Ref adopt(T* object) noexcept {
    Ref ref;
    ref.object_ = object;
    return ref;
  }
  // Adds a reference.
  static Ref share(T* object) noexcept {
    if (object != nullptr) object->retain();
    return adopt(object);
  }
  Ref(const Ref& other) noexcept : object_(other.object_) {
    if (object_ != nullptr) object_->retain();
  }
  Ref(Ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  template <class U>
  Ref(Ref<U> other) noexcept : object_(other.detach()) {}
  Ref& operator=(Ref other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Ref() {
    if (object_ != nullptr) object_->release();
  }

  T* get() const noexcept { return object_; }
  T* operator->() const noexcept { return object_; }
  T& operator*() const noexcept { return *object_; }
  explicit operator bool() const noexcept { return object_ != nullptr; }
  T* detach() noexcept { return std::exchange(object_, nullptr); }
  friend bool operator==(const Ref& a, const Ref& b) { return a.object_ == b.object_; }

 private:
  T* object_ = nullptr;
};

template <class T, class... Args>
Ref<T> make_ref(Args&&... args) {
  return Ref<T>::adopt(new T(std::forward<Args>(args)...));
}

}  // namespace gantry::kernel
