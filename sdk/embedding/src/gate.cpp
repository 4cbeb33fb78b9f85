// SPDX-License-Identifier: Apache-2.0
#include <gantry/embedding/gate.hpp>

#include <algorithm>
#include <utility>

namespace gantry::embedding {

void Gate::configure(const Limits& limits) {
  limits_ = limits;
  admit();
}

Gate::Place Gate::enter(Request request) {
  const Place place = ++last_;
  if (stopped_) {
    request.refuse(Refusal::Stopped);
  } else if (under_way_ < limits_.concurrent && line_.empty()) {
    ++under_way_;
    request.begin(Duration(0));
  } else if (line_.size() >= limits_.waiting) {
    request.refuse(Refusal::Full);
  } else {
    line_.push_back({place, host_.monotonic_ns(), std::move(request),
                     host_.after(limits_.queue_timeout, [this, place] { expire(place); })});
  }
  return place;
}

void Gate::give_up(Place place) {
  const auto found = find(place);
  if (found != line_.end()) line_.erase(found);
}

void Gate::leave() {
  --under_way_;
  admit();
}

void Gate::stop() {
  stopped_ = true;
  while (!line_.empty()) {
    const Request request = std::move(line_.front().request);
    line_.pop_front();
    request.refuse(Refusal::Stopped);
  }
}

void Gate::admit() {
  while (!line_.empty() && under_way_ < limits_.concurrent) {
    Waiting next = std::move(line_.front());
    line_.pop_front();
    next.timer.cancel();
    ++under_way_;
    next.request.begin(Duration(host_.monotonic_ns() - next.since_ns));
  }
}

void Gate::expire(Place place) {
  const auto found = find(place);
  if (found == line_.end()) return;
  const Request request = std::move(found->request);
  line_.erase(found);
  request.refuse(Refusal::Waited);
}

std::list<Gate::Waiting>::iterator Gate::find(Place place) {
  return std::find_if(line_.begin(), line_.end(),
                      [place](const Waiting& each) { return each.place == place; });
}

}  // namespace gantry::embedding
