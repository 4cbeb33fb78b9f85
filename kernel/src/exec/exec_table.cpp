// SPDX-License-Identifier: Apache-2.0
//
// gantry.host.exec/1: the C face of StrandGroup, the clock and the context.
#include "exec/exec_table.hpp"

#include "exec/context.hpp"
#include "exec/exec.hpp"
#include "exec/strand_group.hpp"
#include "host.hpp"

namespace gantry::kernel {

namespace {

void post(gantry_host* host, std::uint64_t key, std::uint32_t lane, gantry_closure work) {
  host->strands->post(key, lane_from_abi(lane), work);
}

void blocking(gantry_host* host, gantry_closure work) { host->strands->blocking(work); }

std::uint64_t timer_start(gantry_host* host, std::int64_t delay_ns, std::int64_t period_ns,
                          std::uint64_t key, gantry_closure work) {
  return host->strands->timer_start(delay_ns, period_ns, key, work);
}

void timer_cancel(gantry_host* host, std::uint64_t timer) { host->strands->timer_cancel(timer); }

std::int64_t monotonic_ns(gantry_host* host) { return host->exec->clock().monotonic_ns(); }
std::int64_t wall_ns(gantry_host* host) { return host->exec->clock().wall_ns(); }

int may_block(gantry_host* host) { return host->exec->pool().may_wait_here() ? 1 : 0; }

gantry_context* current(gantry_host*) { return context_retain_current(); }
gantry_context* enter(gantry_host*, gantry_context* context) {
  return context_swap_current(context);
}

std::int64_t deadline_ns(const gantry_context* context) {
  return context_data(*context).deadline_ns;
}
int cancelled(const gantry_context* context) { return context_data(*context).cancelled() ? 1 : 0; }

void trace(const gantry_context* context, std::uint64_t* hi, std::uint64_t* lo,
           std::uint64_t* span) {
  const Context& data = context_data(*context);
  if (hi != nullptr) *hi = data.trace_hi;
  if (lo != nullptr) *lo = data.trace_lo;
  if (span != nullptr) *span = data.span;
}

}  // namespace

const gantry_host_exec kExecTable = {
    sizeof(gantry_host_exec),
    post,
    blocking,
    timer_start,
    timer_cancel,
    monotonic_ns,
    wall_ns,
    may_block,
    current,
    enter,
    context_drop,
    deadline_ns,
    cancelled,
    trace,
};

}  // namespace gantry::kernel
