// SPDX-License-Identifier: Apache-2.0
#include "recent_events.hpp"

namespace gantry::agent {
namespace {

std::size_t weight(const SessionEvents& batch) {
  std::size_t bytes = 0;
  for (const SessionEvent& event : batch.events) {
    bytes += sizeof event + event.turn.size() + event.text.size() + event.body.text.size();
  }
  return bytes;
}

}  // namespace

void RecentEvents::add(const Ref<SessionEvents>& events) {
  const std::size_t bytes = weight(*events);
  batches_.push_back({events, bytes});
  bytes_ += bytes;
  while (bytes_ > most_bytes_) {
    bytes_ -= batches_.front().bytes;
    batches_.pop_front();
  }
}

void RecentEvents::clear() {
  batches_.clear();
  bytes_ = 0;
}

bool RecentEvents::reach(std::uint64_t sequence) const {
  if (batches_.empty() || batches_.front().events->events.empty()) return false;
  return batches_.front().events->events.front().sequence <= sequence + 1 &&
         batches_.back().events->events.back().sequence > sequence;
}

}  // namespace gantry::agent
