// SPDX-License-Identifier: Apache-2.0
//
// What the store keeps of jobs.
#pragma once

#include <gantry/contracts/schedule.hpp>

#include <boost/describe/class.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gantry::scheduler {

/// Collection of jobs, by id.
inline constexpr const char* kJobs = "jobs";
/// Collection of ScheduledRun, by the job's id and the run's number: see run_key().
inline constexpr const char* kRuns = "runs";

struct Record {
  ScheduleJob job;                     // its state's next_run_ms, running and runs are made anew
  std::int64_t order = 0;              // of creation
  std::optional<std::int64_t> due_ms;  // when the schedule says
  std::int64_t jitter_ms = 0;          // so much later it begins
  std::optional<std::int64_t> retry_ms;
  std::int32_t attempt = 1;            // of the retry
  std::optional<std::int64_t> queued;  // one more run waits for the open one: when it was due
  ScheduledRunTrigger queued_trigger = ScheduledRunTrigger::Due;
  std::int64_t first_run = 1;      // number of the oldest that is kept
  std::int64_t last_run = 0;       // number of the latest
  std::vector<std::int64_t> open;  // numbers of the runs that have not ended
};
BOOST_DESCRIBE_STRUCT(Record, (),
                      (job, order, due_ms, jitter_ms, retry_ms, attempt, queued, queued_trigger,
                       first_run, last_run, open))

}  // namespace gantry::scheduler
