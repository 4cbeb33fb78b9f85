// SPDX-License-Identifier: Apache-2.0
// The assembled kernel: log, metrics, health, runtime, plugins, and its own contracts, built from
// one plan.
//
// Thread rules: create, start, run and stop on one thread (the loop thread). request_stop() and
// request_reload() from any thread and from signal handlers.
#pragma once

#include <gantry/contracts/kernel.hpp>
#include <gantry/contracts/kernel_settings.hpp>
#include <gantry/host.hpp>
#include <gantry/result.hpp>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "host.hpp"
#include "observe/health.hpp"
#include "observe/log.hpp"
#include "observe/metrics.hpp"
#include "plugin/manager.hpp"
#include "plugin/plan.hpp"
#include "service/memory.hpp"
#include "service/program_pages.hpp"
#include "service/settings_writer.hpp"
#include "service/task_loop.hpp"

namespace gantry::service {
class KernelContracts;
struct KernelFacts;
}  // namespace gantry::service

namespace gantry::kernel {

struct KernelOptions {
  /// A new plan for SIGHUP; nullptr: reloading is refused. Findings go to the diagnostics.
  std::function<std::optional<plugin::Plan>(config::Diagnostics&)> make_plan;
  /// What the configuration would be with other written settings; nullptr: none are written here.
  service::TryPlan try_plan;
  /// nullptr: what the configuration says.
  std::unique_ptr<observe::LogOutput> log_output;
  /// nullptr: the system's. Must outlive the kernel.
  Clock* clock = nullptr;
};

class Kernel {
 public:
  Kernel(plugin::Plan plan, KernelOptions options);
  ~Kernel();
  Kernel(const Kernel&) = delete;
  Kernel& operator=(const Kernel&) = delete;

  /// Opens and starts the plugins of the plan.
  void start();
  /// Runs life-cycle work and reloads until request_stop().
  void run();
  /// Runs life-cycle work that is due, without waiting (tests, in-process calls).
  void run_pending() { loop_.run_pending(); }
  /// Stops everything within kernel.stop_timeout. False when something was left behind: then the
  /// kernel must not be destroyed, because code may still run in it; end the process.
  bool stop();

  void request_stop();    ///< async-signal-safe
  void request_reload();  ///< async-signal-safe

  /// Compares and applies a new plan now. Answers what it did; a plan that cannot be made
  /// changes nothing and is an error with every finding.
  Result<plugin::Reloaded> reload();

  /// Writes settings and applies those that are live; `sender` is the plugin that asks. On the loop
  /// thread. Errors: those of KernelWriteSettings.
  Result<SettingsWritten> write_settings(const SettingsWriteRequest& request,
                                         const std::string& sender);
  /// On the loop thread. Errors: those of KernelSettings.
  Result<SettingsReport> written_settings() const;

  Runtime& runtime() { return *runtime_; }
  plugin::PluginManager& plugins() { return *plugins_; }
  observe::Health& health() { return health_; }
  observe::Metrics& metrics() { return metrics_; }
  observe::Logger& log() { return *log_; }
  /// The kernel as a caller on the bus.
  Host& host();
  service::TaskLoop& loop() { return loop_; }
  /// Effective configuration as JSON, secrets hidden.
  std::string config_json() const;
  /// The same, with the tag that changes with it.
  EffectiveConfig effective_config() const;
  /// On the loop thread.
  ConfigDescription describe_config() const;
  double uptime_s() const;

 private:
  using Steady = std::chrono::steady_clock;

  void set_hooks();
  void apply_kernel_settings(const config::Settings& settings);
  void remember_config(const plugin::Plan& plan);
  void renew_tag();
  plugin::Reloaded change_to(plugin::Plan plan);
  service::KernelFacts facts();
  void reload_and_log();
  std::chrono::milliseconds stop_timeout() const;

  KernelOptions options_;
  plugin::Plan first_plan_;
  const Steady::time_point begin_ = Steady::now();
  service::TaskLoop loop_;
  observe::Health health_;
  observe::Metrics metrics_;
  std::unique_ptr<observe::Logger> log_;
  observe::LogSource* log_source_ = nullptr;
  // Destroyed last of all that the hosts use: hosts point into the services of both below.
  std::unique_ptr<plugin::PluginManager> plugins_;
  std::unique_ptr<service::KernelContracts> contracts_;
  std::unique_ptr<Runtime> runtime_;
  std::atomic<bool> stop_requested_{false};
  std::atomic<bool> reload_requested_{false};
  service::MemoryTrimmer trimmer_;              ///< used by one timer only
  service::ProgramPagesTrimmer program_pages_;  ///< the same
  Timer trim_timer_;

  mutable std::mutex config_mutex_;
  std::string config_json_;
  std::string whole_config_;  ///< secrets as they are: what the tag is of
  std::string config_tag_;
  bool stopped_ = false;

  std::uint64_t revision_ = 0;        ///< of what is in force and what is written
  std::vector<std::string> waiting_;  ///< written keys that are not in force yet
};

/// Log settings of a configuration's `log` section.
observe::LogSettings log_settings(const config::Value& log);

/// The daemon's version.
std::string_view version();

}  // namespace gantry::kernel
