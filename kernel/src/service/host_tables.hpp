// SPDX-License-Identifier: Apache-2.0
// gantry.host.log/1, metrics/1, health/1 and config/1 for one plugin: the C tables over observe and
// config.
//
// Thread rules: any thread. A HostServices lives as long as the runtime that owns its host, also
// after the plugin is gone, because a forgotten thread may still write a log line.
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "host.hpp"
#include "observe/health.hpp"
#include "observe/log.hpp"
#include "observe/metrics.hpp"

namespace gantry::service {

/// What all plugins share.
struct Observers {
  observe::Logger& log;
  observe::Metrics& metrics;
  observe::Health& health;
};

class HostServices {
 public:
  HostServices(Observers observers, std::string plugin, std::string config_json);
  HostServices(const HostServices&) = delete;
  HostServices& operator=(const HostServices&) = delete;

  /// Fills the host's slots. The services must outlive the host.
  void attach(gantry_host& host);

  const std::string& plugin() const { return plugin_; }
  Observers& observers() { return observers_; }
  observe::LogSource& log_source() { return source_; }
  std::string config_json() const;
  void set_config_json(std::string json);

 private:
  Observers observers_;
  std::string plugin_;
  observe::LogSource& source_;
  mutable std::mutex mutex_;
  std::string config_json_;
};

}  // namespace gantry::service
