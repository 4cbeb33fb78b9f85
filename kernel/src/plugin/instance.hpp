// SPDX-License-Identifier: Apache-2.0
// One life of one plugin: open, create, init, start, reconfigure, stop, destroy.
//
// Thread rules: every function is called from the kernel's loop thread; reconfigure() and stop()
// may block it up to the given time. What the plugin does runs on the plugin's strand.
#pragma once

#include <gantry/abi/plugin.h>
#include <gantry/result.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "host.hpp"
#include "plugin/manifest.hpp"
#include "service/host_tables.hpp"

namespace gantry::plugin {

/// Where services live until the runtime is gone.
class ServicesKeeper {
 public:
  virtual ~ServicesKeeper() = default;
  virtual service::HostServices& keep(std::unique_ptr<service::HostServices> services) = 0;
};

class Instance {
 public:
  using Milliseconds = std::chrono::milliseconds;

  Instance(kernel::Runtime& runtime, ServicesKeeper& keeper, service::Observers observers,
           std::shared_ptr<const Manifest> manifest, std::string config_json);
  ~Instance();
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;

  /// Told how a step went: on the thread where it ended, or at once.
  using Ended = std::function<void(Result<void>)>;

  /// Opens the library, shakes hands, creates the object, and begins to let it register.
  void begin_open(Ended ended);
  /// Begins to start it.
  void begin_start(Ended ended);
  /// After a step: notes what it took. After start() lets queued calls through.
  void end_step(bool started, bool ok);
  /// The error of a step that has taken too long.
  static Error late(const char* what, Milliseconds timeout);
  /// Hands over the new configuration (live keys only).
  Result<void> reconfigure(std::string config_json, Milliseconds timeout);
  /// Stops (when it was told to start) and destroys it. Answers "" when all went well, else what
  /// was left behind: then the object stays in memory, because its code may still be running. `why`
  /// is told to those whose calls it had.
  std::string stop(std::chrono::steady_clock::time_point deadline, std::string why = {});

  double load_ms() const { return load_ms_; }
  double start_ms() const { return start_ms_; }
  std::int64_t memory_bytes() const { return memory_bytes_; }

 private:
  struct Object;

  Result<void> create();
  using Work = std::function<gantry_status(gantry_plugin&, gantry_error*)>;
  void begin(const char* what, Work work, Ended ended);

  kernel::Runtime& runtime_;
  const std::shared_ptr<const Manifest> manifest_;
  service::HostServices& services_;
  gantry_host* host_ = nullptr;
  // Shared with work on the strand, which may outlive this object when it hangs.
  std::shared_ptr<Object> object_;
  bool start_tried_ = false;
  std::chrono::steady_clock::time_point step_began_;
  std::int64_t step_memory_ = 0;
  double load_ms_ = 0;
  double start_ms_ = 0;
  std::int64_t memory_bytes_ = 0;
};

}  // namespace gantry::plugin
