// SPDX-License-Identifier: Apache-2.0
// Live, ready, degraded: what every component says about itself, with the reason and the cure.
//
// Thread rules: any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace gantry::observe {

/// The numbers of gantry_health_state, from good to bad.
enum class HealthState : int { kOk = 0, kDegraded = 1, kFailed = 2 };

std::string_view health_name(HealthState state);

struct ComponentHealth {
  std::string plugin;
  std::string component;
  HealthState state = HealthState::kOk;
  std::string reason;
  std::string cure;
  std::int64_t since_wall_ns = 0;  ///< of the last change of state
};

struct HealthReport {
  bool live = true;
  bool ready = false;
  HealthState state = HealthState::kOk;  ///< degraded when any component is not ok
  std::vector<ComponentHealth> components;
};

class Health {
 public:
  explicit Health(std::function<std::int64_t()> wall_ns) : wall_ns_(std::move(wall_ns)) {}

  void set(ComponentHealth health);
  /// Forgets a plugin's components, when it is stopped.
  void forget(const std::string& plugin);
  void set_ready(bool ready);
  void set_live(bool live);

  /// Components in order of plugin and name.
  HealthReport report() const;

 private:
  std::function<std::int64_t()> wall_ns_;
  mutable std::mutex mutex_;
  bool live_ = true;
  bool ready_ = false;
  std::map<std::pair<std::string, std::string>, ComponentHealth> components_;
};

}  // namespace gantry::observe
