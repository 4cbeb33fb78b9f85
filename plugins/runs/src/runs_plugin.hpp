// SPDX-License-Identifier: Apache-2.0
//
// The plugin's behaviour: the contracts of runs on the registry.
#pragma once

#include <gantry/contracts/run.hpp>
#include <gantry/plugin.hpp>

#include <string>

#include "registry.hpp"
#include "settings.hpp"

namespace gantry::runs {

class RunsPlugin final : public Plugin {
 public:
  explicit RunsPlugin(Host& host) : Plugin(host), registry_(host) {}

  Result<void> init() override;
  Result<void> reconfigure() override;

 private:
  Result<void> serve_reads();
  template <class C, class F>
  Result<void> serve_loaded(F work);
  template <class C, class F>
  Result<void> serve_change(F work);
  void create(const RunCreateRequest& request, Reply<RunCreate> reply);
  void heartbeat(const RunHeartbeatRequest& request, Reply<RunHeartbeat> reply);
  Record* next_run(const RunHeartbeatRequest& worker, const std::vector<Record*>& live);
  void stop_all(const RunStopAllRequest& request, Reply<RunStopAll> reply);
  void get(const RunRequest& request, Reply<RunGet> reply);
  void events(const RunEventsRequest& request, Reply<RunEvents> reply);
  Result<Control> control_of(const RunControlRequest& request);
  [[nodiscard]] std::int64_t now_ms() const;

  Settings settings_;
  Registry registry_;
  std::string life_;  // names this life of the daemon
  Metric created_;
  Metric assigned_;
};

}  // namespace gantry::runs
