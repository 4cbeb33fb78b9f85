// SPDX-License-Identifier: Apache-2.0
//
// What the store keeps of runs.
#pragma once

#include <gantry/contracts/run.hpp>

#include <boost/describe/class.hpp>

#include <optional>
#include <string>
#include <vector>

namespace gantry::runs {

/// Collection of runs, by run_id. The log of the same name has the run's events.
inline constexpr const char* kRuns = "runs";
/// Collection of the run_ids that must be in memory: active ones, and those that have something to
/// tell their worker.
inline constexpr const char* kLive = "live";
/// Collection of workers, by workspace and worker_id.
inline constexpr const char* kWorkers = "workers";

struct Record {
  Run run;
  std::int64_t order = 0;            // of creation, over all workspaces
  std::string life;                  // the daemon's life in which the worker was told of the run
  std::vector<RunCommand> commands;  // not delivered yet
};
BOOST_DESCRIBE_STRUCT(Record, (), (run, order, life, commands))

/// The body of a run's entry in its log.
struct EventBody {
  std::string event_type;
  std::string source;
  Json payload{"{}"};
};
BOOST_DESCRIBE_STRUCT(EventBody, (), (event_type, source, payload))

}  // namespace gantry::runs
