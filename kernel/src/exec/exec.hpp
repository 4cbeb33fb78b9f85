// SPDX-License-Identifier: Apache-2.0
//
// Exec: the clock, the worker pool, the blocking pool and the timers of one runtime.
// Thread-safe; stop() and the destructor wait for running work.
#pragma once

#include "exec/clock.hpp"
#include "exec/pool.hpp"
#include "exec/timers.hpp"

#include <gantry/abi/types.h>

#include <cstdint>
#include <exception>
#include <functional>
#include <string_view>

namespace gantry::kernel {

struct RuntimeOptions;

class Exec {
 public:
  // An exception left plugin code: `where` names the entry point ("call gantry.window.list/1").
  using FaultHook =
      std::function<void(gantry_host& host, std::string_view where, std::string_view what)>;

  explicit Exec(const RuntimeOptions& options);
  ~Exec();

  Clock& clock() { return clock_; }
  std::int64_t now_ns() const { return clock_.monotonic_ns(); }
  Pool& pool() { return pool_; }
  TimerService& timers() { return timers_; }
  void stop() { pool_.stop(); }

  void set_fault_hook(FaultHook hook) { fault_hook_ = std::move(hook); }  // before any host starts
  void report_fault(gantry_host& host, std::string_view where, std::string_view what);

 private:
  Clock& clock_;
  Pool pool_;
  TimerService timers_;
  FaultHook fault_hook_;
};

// Calls plugin code. Plugins must not throw through the C ABI; one that does must not take the
// daemon with it. false: it threw.
template <class F>
bool call_plugin(Exec& exec, gantry_host& host, std::string_view where, F&& code) noexcept {
  try {
    code();
    return true;
  } catch (const std::exception& error) {
    exec.report_fault(host, where, error.what());
  } catch (...) {
    exec.report_fault(host, where, "an exception of unknown type");
  }
  return false;
}

}  // namespace gantry::kernel
