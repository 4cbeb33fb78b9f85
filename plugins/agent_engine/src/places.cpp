// SPDX-License-Identifier: Apache-2.0
#include "places.hpp"

#include <algorithm>
#include <utility>

namespace gantry::agent {

bool Places::has_room(const User& user, const Limits& limits) const {
  return static_cast<std::int64_t>(running_.size()) < limits.of_all && user.running < limits.of_one;
}

void Places::ask(std::uint64_t ticket, const std::string& user, const Limits& limits, Begin begin) {
  User& who = users_[user];
  if (who.line.empty()) turn_.push_back(user);
  who.line.push_back({ticket, std::move(begin)});
  ++waiting_;
  fill(limits);
}

Places::Begin Places::take(const Limits& limits) {
  const auto next = std::find_if(turn_.begin(), turn_.end(), [&](const std::string& name) {
    return has_room(users_.at(name), limits);
  });
  if (next == turn_.end()) return {};
  const std::string name = std::move(*next);
  turn_.erase(next);
  User& who = users_.at(name);
  Waiting first = std::move(who.line.front());
  who.line.pop_front();
  --waiting_;
  ++who.running;
  running_.emplace(first.ticket, name);
  if (!who.line.empty()) turn_.push_back(name);  // behind all who wait
  return std::move(first.begin);
}

void Places::fill(const Limits& limits) {
  while (Begin begin = take(limits)) begin();
}

void Places::clear() {
  users_.clear();
  turn_.clear();
  running_.clear();
  waiting_ = 0;
}

void Places::withdraw(std::uint64_t ticket) {
  for (auto& [name, who] : users_) {
    const auto found =
        std::find_if(who.line.begin(), who.line.end(),
                     [ticket](const Waiting& waiting) { return waiting.ticket == ticket; });
    if (found == who.line.end()) continue;
    who.line.erase(found);
    --waiting_;
    if (who.line.empty()) std::erase(turn_, name);
    return tidy(std::string(name));
  }
}

void Places::tidy(const std::string& name) {
  const auto found = users_.find(name);
  if (found != users_.end() && found->second.running == 0 && found->second.line.empty()) {
    users_.erase(found);
  }
}

void Places::leave(std::uint64_t ticket, const Limits& limits) {
  const auto held = running_.extract(ticket);
  if (held.empty()) return withdraw(ticket);
  --users_.at(held.mapped()).running;
  tidy(held.mapped());
  fill(limits);
}

}  // namespace gantry::agent
