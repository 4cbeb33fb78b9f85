// SPDX-License-Identifier: Apache-2.0
#include "parked.hpp"

#include <algorithm>
#include <utility>

#include "asking_run.hpp"

namespace gantry::mcp {

void Parked::put(std::string id, std::int64_t expires_ns, std::shared_ptr<AskingRun> run,
                 std::size_t most, std::int64_t now_ns) {
  sweep(now_ns);
  waiting_.push_back({std::move(id), expires_ns, std::move(run)});
  while (waiting_.size() > most) {
    const auto oldest = std::move(waiting_.front());
    waiting_.pop_front();
    oldest.run->give_up();
  }
}

std::shared_ptr<AskingRun> Parked::take(std::string_view id, std::int64_t now_ns) {
  sweep(now_ns);
  const auto found = std::find_if(waiting_.begin(), waiting_.end(),
                                  [id](const Waiting& waiting) { return waiting.id == id; });
  if (found == waiting_.end()) return nullptr;
  auto run = std::move(found->run);
  waiting_.erase(found);
  return run;
}

void Parked::sweep(std::int64_t now_ns) {
  while (!waiting_.empty() && waiting_.front().expires_ns <= now_ns) {
    const auto expired = std::move(waiting_.front());
    waiting_.pop_front();
    expired.run->give_up();
  }
}

void Parked::clear() {
  const auto all = std::exchange(waiting_, {});
  for (const Waiting& waiting : all) waiting.run->give_up();
}

}  // namespace gantry::mcp
