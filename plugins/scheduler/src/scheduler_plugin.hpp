// SPDX-License-Identifier: Apache-2.0
//
// The plugin's behaviour: the contracts of schedules on the jobs.
#pragma once

#include <gantry/contracts/schedule.hpp>
#include <gantry/plugin.hpp>

#include "jobs.hpp"
#include "scheduler.hpp"

namespace gantry::scheduler {

class SchedulerPlugin final : public Plugin {
 public:
  explicit SchedulerPlugin(Host& host) : Plugin(host), jobs_(host), scheduler_(host, jobs_) {}

  Result<void> init() override;
  Result<void> start() override;
  Result<void> reconfigure() override;

 private:
  template <class C, class F>
  Result<void> serve_loaded(F work);
  Result<void> serve_changes();
  Result<void> serve_reads();
  void create(const ScheduleCreateRequest& request, Reply<ScheduleCreate> reply);
  void update(const ScheduleUpdateRequest& request, Reply<ScheduleUpdate> reply);
  void remove(const ScheduleJobRequest& request, Reply<ScheduleDelete> reply);
  void run(const ScheduleRunRequest& request, Reply<ScheduleRun> reply);
  void runs(const ScheduleRunsRequest& request, Reply<ScheduleRuns> reply);
  Result<ScheduleJobList> list(const ScheduleListRequest& request);
  [[nodiscard]] Result<SchedulePreviewed> preview(const SchedulePreviewRequest& request) const;
  SchedulerStatus status(const ScheduleStatusRequest& request);
  Result<Record*> need(const std::string& job, const std::string& principal);

  Jobs jobs_;
  Scheduler scheduler_;
};

}  // namespace gantry::scheduler
