// SPDX-License-Identifier: Apache-2.0
#include <gantry/codec.hpp>
#include <gantry/contracts/schedule.hpp>

GANTRY_INSTANTIATE(gantry::ScheduleCreateRequest)
GANTRY_INSTANTIATE(gantry::ScheduleJob)
GANTRY_INSTANTIATE(gantry::ScheduleUpdateRequest)
GANTRY_INSTANTIATE(gantry::ScheduleJobRequest)
GANTRY_INSTANTIATE(gantry::ScheduleListRequest)
GANTRY_INSTANTIATE(gantry::ScheduleJobList)
GANTRY_INSTANTIATE(gantry::ScheduleRunRequest)
GANTRY_INSTANTIATE(gantry::ScheduleRan)
GANTRY_INSTANTIATE(gantry::ScheduleRunsRequest)
GANTRY_INSTANTIATE(gantry::ScheduledRun)
GANTRY_INSTANTIATE(gantry::ScheduledRunList)
GANTRY_INSTANTIATE(gantry::SchedulePreviewRequest)
GANTRY_INSTANTIATE(gantry::SchedulePreviewed)
GANTRY_INSTANTIATE(gantry::ScheduleStatusRequest)
GANTRY_INSTANTIATE(gantry::SchedulerStatus)
GANTRY_INSTANTIATE(gantry::ScheduleChangedEvent)
