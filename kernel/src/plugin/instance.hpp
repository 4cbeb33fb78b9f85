// SPDX-License-Identifier: Apache-2.0
// One life of one plugin: open, create, init, start, reconfigure, stop, destroy.
//
// Thread rules: every function is called from the kernel's loop thread and may block it up to the
// given time; what the plugin does runs on the plugin's strand.
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
           const Manifest& manifest, std::string config_json);
  ~Instance();
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;

  /// Opens the library, shakes hands, creates the object and lets it register.
  Result<void> open(Milliseconds timeout);
  /// Starts it and lets queued calls through.
  Result<void> start(Milliseconds timeout);
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
  Result<void> on_strand(const char* what, Milliseconds timeout,
                         std::function<gantry_status(gantry_plugin&, gantry_error*)> work);

  kernel::Runtime& runtime_;
  const Manifest manifest_;
  service::HostServices& services_;
  gantry_host* host_ = nullptr;
  // Shared with work on the strand, which may outlive this object when it hangs.
  std::shared_ptr<Object> object_;
  bool start_tried_ = false;
  double load_ms_ = 0;
  double start_ms_ = 0;
  std::int64_t memory_bytes_ = 0;
};

}  // namespace gantry::plugin
