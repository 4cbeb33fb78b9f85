// SPDX-License-Identifier: Apache-2.0
#include "jobs.hpp"

#include <algorithm>

namespace gantry::shell {
namespace {

constexpr std::size_t kShownCommand = 200;

bool has_ended(const JobPtr& job) { return job->running->ended_ns != 0; }

}  // namespace

Result<JobPtr> Jobs::add(const std::string& owner, const std::string& command, RunningPtr running,
                         std::size_t most) {
  Owner& mine = owners_[owner];
  while (mine.jobs.size() >= most) {
    const auto ended = std::find_if(mine.jobs.begin(), mine.jobs.end(), has_ended);
    if (ended == mine.jobs.end()) {
      return Error{Code::ResourceExhausted,
                   std::to_string(most) +
                       " commands run in the background of this session already; kill or remove "
                       "one with the tool process",
                   {}};
    }
    mine.jobs.erase(ended);
  }
  auto job = std::make_shared<Job>();
  job->id = "bg" + std::to_string(++mine.last);
  job->command = command.substr(0, kShownCommand);
  mine.started_ns = running->started_ns;
  job->running = std::move(running);
  mine.jobs.push_back(job);
  return job;
}

Result<JobPtr> Jobs::find(const std::string& owner, const std::string& id) const {
  const auto mine = owners_.find(owner);
  std::string known;
  if (mine != owners_.end()) {
    for (const JobPtr& job : mine->second.jobs) {
      if (job->id == id) return job;
      known += (known.empty() ? "" : ", ") + job->id;
    }
  }
  return not_found("this session has no background command '" + id + "'; there are " +
                   (known.empty() ? "none" : known));
}

std::vector<JobPtr> Jobs::all(const std::string& owner) const {
  const auto mine = owners_.find(owner);
  return mine == owners_.end() ? std::vector<JobPtr>() : mine->second.jobs;
}

void Jobs::remove(const std::string& owner, const std::string& id) {
  const auto mine = owners_.find(owner);
  if (mine == owners_.end()) return;
  std::erase_if(mine->second.jobs, [&](const JobPtr& job) { return job->id == id; });
}

void Jobs::forget_ended(std::int64_t before_ns) {
  std::vector<std::int64_t> ends;
  for (auto& [name, owner] : owners_) {
    std::erase_if(owner.jobs, [&](const JobPtr& job) {
      return has_ended(job) && job->running->ended_ns < before_ns;
    });
    for (const JobPtr& job : owner.jobs) {
      if (has_ended(job)) ends.push_back(job->running->ended_ns);
    }
  }
  if (ends.size() > kMostEnded) {
    std::sort(ends.begin(), ends.end(), std::greater<>());
    const std::int64_t oldest_kept = ends[kMostEnded - 1];
    for (auto& [name, owner] : owners_) {
      std::erase_if(owner.jobs, [&](const JobPtr& job) {
        return has_ended(job) && job->running->ended_ns < oldest_kept;
      });
    }
  }
  std::erase_if(owners_, [before_ns](const auto& owner) {
    return owner.second.jobs.empty() && owner.second.started_ns < before_ns;
  });
}

}  // namespace gantry::shell
