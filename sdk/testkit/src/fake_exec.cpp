// SPDX-License-Identifier: Apache-2.0
// gantry.host.exec/1 of FakeHost.
#include "world.hpp"

#include <cstdio>
#include <cstdlib>

namespace gantry::testkit::detail {

void release(WorkContext* context) {
  if (context != nullptr && --context->references == 0) delete context;
}

void World::queue(Participant& owner, std::uint32_t lane, std::function<void()> run,
                  std::function<void()> drop, bool blocking, WorkContext* context) {
  if (owner.closing) {
    if (drop) drop();
    return;
  }
  WorkContext& with = context != nullptr ? *context : here();
  ++with.references;
  auto& line = lane == GANTRY_LANE_CONTROL ? control : others;
  line.push_back({&owner, std::move(run), std::move(drop), &with, blocking});
}

bool World::run_one() {
  auto& line = control.empty() ? others : control;
  if (line.empty()) return false;
  const Task task = std::move(line.front());
  line.pop_front();
  enter(*task.context, task.may_block, task.run);
  release(task.context);
  return true;
}

void World::advance_to(std::int64_t ns) {
  if (ns > now_ns()) clock->advance(Duration(ns - now_ns()));
}

bool World::fire_next_timer(std::int64_t until_ns) {
  if (timers.empty() || timers.begin()->second.due_ns > until_ns) return false;
  const Timer timer = timers.begin()->second;
  timers.erase(timers.begin());
  advance_to(timer.due_ns);
  const gantry_closure work = timer.work;
  if (timer.period_ns > 0) {
    Timer next = timer;
    next.due_ns += next.period_ns;
    timers.emplace(std::pair(next.due_ns, next.id), next);
    queue(
        *timer.owner, GANTRY_LANE_INTERACTIVE, [work] { work.run(work.user); }, {}, false, &root);
    return true;
  }
  const auto drop = [work] {
    if (work.drop != nullptr) work.drop(work.user);
  };
  queue(
      *timer.owner, GANTRY_LANE_INTERACTIVE,
      [work, drop] {
        work.run(work.user);
        drop();
      },
      drop, false, &root);
  return true;
}

std::uint64_t World::start_timer(Participant& owner, std::int64_t delay_ns, std::int64_t period_ns,
                                 gantry_closure work) {
  if (owner.closing) {
    if (work.drop != nullptr) work.drop(work.user);
    return 0;
  }
  const std::uint64_t id = ++last_id;
  const std::int64_t due = now_ns() + std::max<std::int64_t>(delay_ns, 0);
  timers.emplace(std::pair(due, id), Timer{id, &owner, due, period_ns, work});
  return id;
}

void World::cancel_timer(std::uint64_t id) {
  for (auto it = timers.begin(); it != timers.end(); ++it) {
    if (it->second.id != id) continue;
    const Timer timer = it->second;
    timers.erase(it);
    if (timer.work.drop == nullptr) return;
    // Behind a shot that may stand in the queue already.
    const auto drop = [work = timer.work] { work.drop(work.user); };
    queue(*timer.owner, GANTRY_LANE_INTERACTIVE, drop, drop, false, &root);
    return;
  }
}

namespace {

std::function<void()> runner(gantry_closure work) {
  return [work] {
    work.run(work.user);
    if (work.drop != nullptr) work.drop(work.user);
  };
}
std::function<void()> dropper(gantry_closure work) {
  return [work] {
    if (work.drop != nullptr) work.drop(work.user);
  };
}

void post(gantry_host* host, std::uint64_t, std::uint32_t lane, gantry_closure work) {
  world_of(host).queue(Participant::of(host), lane, runner(work), dropper(work));
}
void blocking(gantry_host* host, gantry_closure work) {
  world_of(host).queue(Participant::of(host), GANTRY_LANE_INTERACTIVE, runner(work), dropper(work),
                       true);
}
std::uint64_t timer_start(gantry_host* host, std::int64_t delay_ns, std::int64_t period_ns,
                          std::uint64_t, gantry_closure work) {
  return world_of(host).start_timer(Participant::of(host), delay_ns, period_ns, work);
}
void timer_cancel(gantry_host* host, std::uint64_t timer) { world_of(host).cancel_timer(timer); }
std::int64_t monotonic_ns(gantry_host* host) { return world_of(host).now_ns(); }
std::int64_t wall_ns(gantry_host* host) { return world_of(host).clock->wall_ns(); }
int may_block(gantry_host* host) { return world_of(host).may_block ? 1 : 0; }
gantry_context* context_current(gantry_host* host) {
  WorkContext& context = world_of(host).here();
  ++context.references;
  return context.raw();
}
gantry_context* context_enter(gantry_host* host, gantry_context* context) {
  World& world = world_of(host);
  WorkContext& before = world.here();
  world.current = &WorkContext::of(context);
  return before.raw();
}
void context_release(gantry_context* context) { release(&WorkContext::of(context)); }
std::int64_t context_deadline_ns(const gantry_context* context) {
  return WorkContext::of(context).deadline_ns;
}
int context_cancelled(const gantry_context* context) {
  return *WorkContext::of(context).cancelled ? 1 : 0;
}
void context_trace(const gantry_context* context, std::uint64_t* hi, std::uint64_t* lo,
                   std::uint64_t* span) {
  const WorkContext& from = WorkContext::of(context);
  *hi = from.trace_hi;
  *lo = from.trace_lo;
  *span = from.span;
}

}  // namespace

const gantry_host_exec& exec_table() {
  static const gantry_host_exec table = [] {
    gantry_host_exec t{};
    t.size = sizeof t;
    t.post = post;
    t.blocking = blocking;
    t.timer_start = timer_start;
    t.timer_cancel = timer_cancel;
    t.monotonic_ns = monotonic_ns;
    t.wall_ns = wall_ns;
    t.may_block = may_block;
    t.context_current = context_current;
    t.context_enter = context_enter;
    t.context_release = context_release;
    t.context_deadline_ns = context_deadline_ns;
    t.context_cancelled = context_cancelled;
    t.context_trace = context_trace;
    return t;
  }();
  return table;
}

}  // namespace gantry::testkit::detail
