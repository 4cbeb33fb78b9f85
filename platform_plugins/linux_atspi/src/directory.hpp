// SPDX-License-Identifier: Apache-2.0
// Who is on the accessibility bus: the registry's applications, their processes, and the ones that
// are silent. Bus thread only.
#pragma once

#include "app.hpp"
#include "bus.hpp"
#include "config.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace gantry::atspi {

using AppPtr = std::shared_ptr<App>;

class Directory {
 public:
  explicit Directory(const AtspiConfig& config) : config_(config) {}

  /// Brings the list up to date when something came or went (or `force`).
  Task<Result<bool>> refresh(std::shared_ptr<Bus> bus, TimePoint deadline, bool force);
  /// Applications of this process; 0: all registered ones.
  std::vector<AppPtr> of_process(std::uint32_t pid) const;
  /// The application with this bus name, null when refresh() has not met it.
  AppPtr find(const std::string& bus_name) const;

  /// Puts a silent application aside: reads of it answer app_hung at once until the probe time.
  /// A ping stays out; its answer, or any event, ends the quarantine.
  void quarantine(std::shared_ptr<Bus> bus, const AppPtr& app);
  static void absolve(App& app);

  void on_name_owner_changed(const std::string& name, const std::string& new_owner);
  void on_registry_changed() { dirty_ = true; }
  void reset();
  /// Drops the least recently used caches until the total is under the cap.
  void evict();
  const std::map<std::string, AppPtr>& apps() const { return apps_; }

 private:
  Task<Result<bool>> read_pids(std::shared_ptr<Bus> bus, TimePoint deadline);

  const AtspiConfig& config_;
  std::map<std::string, AppPtr> apps_;
  bool dirty_ = true;
};

}  // namespace gantry::atspi
