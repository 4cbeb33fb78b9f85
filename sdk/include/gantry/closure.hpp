// SPDX-License-Identifier: Apache-2.0
//
// make_closure: a C++ callable as a gantry_closure.
#pragma once

#include <gantry/abi/types.h>
#include <gantry/log.hpp>

#include <string_view>
#include <type_traits>
#include <utility>

namespace gantry {

/// Moves a callable into a C closure that the host runs and drops. What it throws goes to `log`.
template <class F>
gantry_closure make_closure(F&& function, const Log& log = {}, std::string_view what = "work") {
  struct Work {
    std::decay_t<F> function;
    Log log;
    std::string_view what;
  };
  gantry_closure closure{};
  closure.user = new Work{std::forward<F>(function), log, what};
  closure.run = [](void* user) {
    auto& work = *static_cast<Work*>(user);
    detail::run_guarded(work.log, work.what, work.function);
  };
  closure.drop = [](void* user) { delete static_cast<Work*>(user); };
  return closure;
}

}  // namespace gantry
