// SPDX-License-Identifier: Apache-2.0
// gantry run: the daemon and its signals.
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <cstring>

#include "cli/cli.hpp"
#include "cli/daemon.hpp"
#include "cli/ports.hpp"
#include "service/memory.hpp"

// Present when the build is instrumented: what would have run at a normal exit.
extern "C" {
void __gcov_dump() __attribute__((weak));           // NOLINT(bugprone-reserved-identifier)
void __lsan_do_leak_check() __attribute__((weak));  // NOLINT(bugprone-reserved-identifier)
}

namespace gantry::cli {
namespace {

// Signal handlers reach the kernel through this and nothing else.
std::atomic<kernel::Kernel*> g_kernel{nullptr};
std::atomic<int> g_stops{0};

constexpr unsigned kHardLimitSeconds = 5;

void say(const char* message) {
  [[maybe_unused]] const auto written = write(STDERR_FILENO, message, std::strlen(message));
}

void on_stop(int signal) {
  if (g_stops.fetch_add(1) > 0) {
    say("gantry: second signal, leaving at once\n");
    _exit(128 + signal);
  }
  // Whatever happens from here on, the process ends in time.
  alarm(kHardLimitSeconds);
  if (auto* kernel = g_kernel.load()) kernel->request_stop();
}

void on_alarm(int) {
  say("gantry: shutdown took too long, leaving\n");
  _exit(kSoftware);
}

void on_reload(int) {
  if (auto* kernel = g_kernel.load()) kernel->request_reload();
}

void install(int signal, void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(signal, &action, nullptr);
}

void install_signals() {
  install(SIGTERM, &on_stop);
  install(SIGINT, &on_stop);
  install(SIGALRM, &on_alarm);
  install(SIGHUP, &on_reload);
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
  if (plan) check_listeners(*plan, diagnostics);
  print_findings(diagnostics);
  if (!plan) {
    complain("not started: the configuration has errors");
    return kConfig;
  }
  run_plan(options, std::move(*plan), {});
}

void run_plan(const plugin::PlanOptions& options, plugin::Plan plan, const Started& started) {
  kernel::KernelOptions kernel_options;
  kernel_options.make_plan = [&options](config::Diagnostics& findings) {
    return plugin::make_plan(options, findings);
  };
  service::bound_allocator();
  auto* kernel = new kernel::Kernel(std::move(plan), std::move(kernel_options));
  g_kernel.store(kernel);
  install_signals();
  kernel->start();
  int exit_code = kOk;
  if (started) started(*kernel, exit_code);
  kernel->run();
  leave(kernel->stop() ? exit_code : static_cast<int>(kSoftware));
}

}  // namespace gantry::cli
