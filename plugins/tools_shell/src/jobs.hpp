// SPDX-License-Identifier: Apache-2.0
#pragma once
// Commands that run in the background, by whose they are. Strand only.

#include <gantry/host.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "report.hpp"

namespace gantry::shell {

inline constexpr std::int64_t kNsInMs = 1'000'000;

/// One started command.
struct Running {
  ProcessLoop::Id loop_id = 0;
  std::shared_ptr<Process> process;
  std::int64_t started_ns = 0;
  std::int64_t ended_ns = 0;  // 0: it runs
  Ended why = Ended::None;
  Timer limit;
  Timer grace;
};
using RunningPtr = std::shared_ptr<Running>;

struct Job {
  std::string id;
  std::string command;  // its beginning, for lists
  RunningPtr running;
};
using JobPtr = std::shared_ptr<Job>;

class Jobs {
 public:
  /// A new one of `owner`; resource_exhausted when it has `most` that run. What has ended makes
  /// room, the oldest first.
  Result<JobPtr> add(const std::string& owner, const std::string& command, RunningPtr running,
                     std::size_t most);
  /// Of this owner alone: for anybody else there is none (not_found names those that there are).
  [[nodiscard]] Result<JobPtr> find(const std::string& owner, const std::string& id) const;
  [[nodiscard]] std::vector<JobPtr> all(const std::string& owner) const;
  void remove(const std::string& owner, const std::string& id);
  /// Forgets those that ended before `ns`, and the oldest ended when there are more than
  /// kMostEnded.
  void forget_ended(std::int64_t before_ns);
  void clear() { owners_.clear(); }

  static constexpr std::size_t kMostEnded = 64;

 private:
  struct Owner {
    std::vector<JobPtr> jobs;     // the oldest first
    std::uint64_t last = 0;       // number of the newest: none is given twice
    std::int64_t started_ns = 0;  // when that was
  };
  std::map<std::string, Owner> owners_;
};

}  // namespace gantry::shell
