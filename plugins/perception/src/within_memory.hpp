// SPDX-License-Identifier: Apache-2.0
#pragma once
// Work on pictures, which may need more memory than there is.

#include <gantry/ask.hpp>
#include <gantry/result.hpp>
#include <gantry/task.hpp>

#include <new>

namespace gantry::perception {

inline Error needs_too_much_memory() {
  return Error{Code::ResourceExhausted, "the picture needs too much memory", {}};
}

/// `co_await aside_within_memory<T>(host, work)`: as aside(), for work that answers a Result<T> and
/// may run out of memory, which is ResourceExhausted then. What is thrown past aside() answers
/// nobody, and the place in the queue would be lost. Strand only.
template <class T, class Work>
Task<Result<T>> aside_within_memory(Host& host, Work& work) {
  auto careful = [&work]() -> Result<T> {
    try {
      return work();
    } catch (const std::bad_alloc&) {
      return needs_too_much_memory();
    }
  };
  co_return co_await aside<Result<T>>(host, careful);
}

}  // namespace gantry::perception
