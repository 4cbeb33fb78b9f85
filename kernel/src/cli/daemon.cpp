// SPDX-License-Identifier: Apache-2.0
// gantry run: the daemon and its signals.
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "cli/cli.hpp"
#include "cli/daemon.hpp"
#include "cli/ports.hpp"
#include "cli/unheard.hpp"
#include "exec/thread_name.hpp"
#include "service/memory.hpp"

// Present when the build is instrumented: what would have run at a normal exit.
extern "C" {
// NOLINTBEGIN(readability-identifier-naming): the names are those of the compilers' runtimes
void __gcov_dump() __attribute__((weak));
void __lsan_do_leak_check() __attribute__((weak));
// NOLINTEND(readability-identifier-naming)
}

namespace gantry::cli {
namespace {

constexpr time_t kHardLimitSeconds = 5;
// timeout(1), npm and terminals send one signal to a process and once more to its group.
constexpr std::int64_t kEchoMs = 200;

// Not through stdio, whose lock a thread that hangs may hold.
void say(std::string_view message) {
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, message.data(), message.size());
}

sigset_t awaited_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&set, signal);
  return set;
}

// The system's own exit: a sanitizer's _exit waits for locks, and a second for what other threads
// report.
[[noreturn]] void leave_at_once(int code) {
  while (true) syscall(SYS_exit_group, code);
}

std::int64_t milliseconds_between(const timespec& from, const timespec& to) {
  return (to.tv_sec - from.tv_sec) * 1'000 + (to.tv_nsec - from.tv_nsec) / 1'000'000;
}

// Waits for the second signal, or ends the process when its time is over. The first may have come
// while every other thread hangs, so nothing here needs another thread or a lock.
[[noreturn]] void watch_shutdown(const sigset_t& awaited, int first) {
  timespec begin{};
  clock_gettime(CLOCK_MONOTONIC, &begin);
  timespec now = begin;
  const time_t end = begin.tv_sec + kHardLimitSeconds;
  while (true) {
    const timespec left{end > now.tv_sec ? end - now.tv_sec : 0, 0};
    const int signal = sigtimedwait(&awaited, nullptr, &left);
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (signal == first && milliseconds_between(begin, now) < kEchoMs) continue;
    if (signal == SIGTERM || signal == SIGINT) {
      say("gantry: second signal, leaving at once\n");
      leave_at_once(128 + signal);
    }
    if (signal < 0 && left.tv_sec == 0) {
      say("gantry: shutdown took too long, leaving\n");
      leave_at_once(kSoftware);
    }
  }
}

void answer_signals(kernel::Kernel& kernel) {
  kernel::set_thread_name("signals");
  const sigset_t awaited = awaited_signals();
  while (true) {
    const int signal = sigwaitinfo(&awaited, nullptr);
    if (signal == SIGHUP) kernel.request_reload();
    if (signal != SIGTERM && signal != SIGINT) continue;
    kernel.request_stop();
    watch_shutdown(awaited, signal);
  }
}

// One thread answers signals and all others block them: whatever hangs, and wherever, a signal has
// somebody who takes it. Before the first thread is started, because threads inherit the mask.
void block_signals() {
  const sigset_t awaited = awaited_signals();
  pthread_sigmask(SIG_BLOCK, &awaited, nullptr);
  // A peer that went away is an error of the write, not the end of the daemon.
  signal(SIGPIPE, SIG_IGN);
}

// Threads that a plugin forgot may still run: no destructor of a kernel, a library or a static may
// be run under them. Everything that matters is stopped and flushed.
[[noreturn]] void leave(int code) {
  if (__gcov_dump != nullptr) __gcov_dump();
  if (__lsan_do_leak_check != nullptr) __lsan_do_leak_check();
  _exit(code);
}

/// What `gantry check` calls an error, named by what it is about. Not by its place: a line moves
/// when another is written. Nor by the text of a refusal, which tells the first of several causes
/// and what could help, or of an exposure, which tells who else is exposed.
std::set<std::string> errors_of(const plugin::Plan& plan) {
  std::set<std::string> out;
  for (const auto& planned : plan.plugins) {
    if (!planned.refused.empty()) out.insert("plugins." + planned.name + " refused");
  }
  for (const auto& one : exposed(plan)) {
    out.insert(one.plugin + " exposed on " + one.listener + " at " + one.host);
  }
  config::Diagnostics claims;
  check_claims(plan, claims);
  for (const auto& finding : claims.items()) {
    if (finding.severity == config::Severity::kError) out.insert(finding.path + finding.message);
  }
  return out;
}

/// Plans for SIGHUP. An error that the plan in force has not keeps it in force; one that it has
/// too was there at the start, which takes what works, and must not lock out every other change.
class Replanner {
 public:
  Replanner(const plugin::PlanOptions& options, const plugin::Plan& plan)
      : options_(options), known_(errors_of(plan)) {}

  /// Nullopt: the findings say why not.
  std::optional<plugin::Plan> operator()(config::Diagnostics& findings) {
    auto next = plugin::make_plan(options_, findings);
    if (!next) return std::nullopt;
    auto errors = errors_of(*next);
    if (!std::includes(known_.begin(), known_.end(), errors.begin(), errors.end())) {
      check_plan(*next, findings);
      return std::nullopt;
    }
    known_ = std::move(errors);
    return next;
  }

 private:
  const plugin::PlanOptions& options_;
  std::set<std::string> known_;
};

}  // namespace

int run_daemon(const Invocation& invocation) {
  if (!invocation.arguments.empty()) {
    complain("run takes no arguments, found '" + invocation.arguments.front() + "'");
    return kUsage;
  }
  auto options = plan_options(invocation);
  // In front, so that a --set of the same key wins.
  auto& sets = options.layers.sets;
  if (invocation.json) sets.insert(sets.begin(), "log.format=json");
  config::Diagnostics diagnostics;
  auto plan = plugin::make_plan(options, diagnostics);
  if (plan) {
    check_listeners(*plan, diagnostics);
    check_shared(*plan, diagnostics);
  }
  print_findings(diagnostics);
  if (!plan) {
    complain("not started: the configuration has errors");
    return kConfig;
  }
  if (const std::string other = claim_folders(*plan); !other.empty()) {
    complain(other);
    return kUnavailable;
  }
  run_plan(options, std::move(*plan), leave_when_unheard);
}

void run_plan(const plugin::PlanOptions& options, plugin::Plan plan, const Started& started) {
  kernel::KernelOptions kernel_options;
  kernel_options.make_plan = Replanner(options, plan);
  kernel_options.try_plan = [&options](const config::Value& written,
                                       config::Diagnostics& findings) {
    auto other = options;
    other.layers.written = written;
    auto tried = plugin::make_plan(other, findings);
    if (tried) check_plan(*tried, findings);
    return tried;
  };
  service::bound_allocator();
  block_signals();
  auto* kernel = new kernel::Kernel(std::move(plan), std::move(kernel_options));
  std::thread(answer_signals, std::ref(*kernel)).detach();
  kernel->start();
  int exit_code = kOk;
  if (started) started(*kernel, exit_code);
  kernel->run();
  leave(kernel->stop() ? exit_code : static_cast<int>(kSoftware));
}

}  // namespace gantry::cli
