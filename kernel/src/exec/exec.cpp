// SPDX-License-Identifier: Apache-2.0
#include "exec/exec.hpp"

#include "host.hpp"

namespace gantry::kernel {

Exec::Exec(const RuntimeOptions& options)
    : clock_(options.clock != nullptr ? *options.clock : SystemClock::instance()),
      pool_({options.workers, options.max_blocking, options.blocking_idle_ns, options.look_ns}),
      timers_(clock_, pool_) {}

Exec::~Exec() { pool_.stop(); }

void Exec::report_fault(gantry_host& host, std::string_view where, std::string_view what) {
  if (fault_hook_) fault_hook_(host, where, what);
}

}  // namespace gantry::kernel
