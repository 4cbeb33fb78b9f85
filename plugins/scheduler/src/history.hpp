// SPDX-License-Identifier: Apache-2.0
//
// Pages of the runs of one or many jobs, read from the store.
#pragma once

#include <gantry/contracts/schedule.hpp>
#include <gantry/host.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace gantry::scheduler {

/// The runs of a job that are kept, by number.
struct RunRange {
  std::string job;
  std::int64_t first = 1;
  std::int64_t last = 0;
};

/// Answers with `limit` runs after the first `offset`, the latest first; of several jobs in the
/// order in which they began.
void read_history(Host& host, std::vector<RunRange> ranges, std::int32_t limit, std::int64_t offset,
                  Reply<ScheduleRuns> reply);

}  // namespace gantry::scheduler
