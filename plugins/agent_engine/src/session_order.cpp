// SPDX-License-Identifier: Apache-2.0
#include "session_order.hpp"

namespace gantry::agent {

void SessionOrder::put(const std::string& id, const std::string& workspace,
                       std::int64_t updated_ms) {
  if (const auto known = by_id_.find(id); known != by_id_.end()) {
    if (known->second->updated_ms >= updated_ms) return;
    erase(known->second);
  }
  const auto row = workspaces_.try_emplace(workspace, 0).first;
  ++row->second;
  const auto place = places_.insert({updated_ms, id, &*row}).first;
  by_id_.emplace(place->id, place);
}

void SessionOrder::remove(const std::string& id) {
  if (const auto known = by_id_.find(id); known != by_id_.end()) erase(known->second);
}

void SessionOrder::erase(Places::iterator place) {
  if (--place->workspace->second == 0) workspaces_.erase(place->workspace->first);
  by_id_.erase(place->id);
  places_.erase(place);
}

std::int64_t SessionOrder::count(const std::optional<std::string>& workspace) const {
  if (!workspace) return static_cast<std::int64_t>(places_.size());
  const auto row = workspaces_.find(*workspace);
  return row == workspaces_.end() ? 0 : row->second;
}

std::vector<std::string> SessionOrder::page(const std::optional<std::string>& workspace,
                                            std::int64_t offset, std::size_t limit) const {
  std::vector<std::string> out;
  const auto row = workspace ? workspaces_.find(*workspace) : workspaces_.end();
  if (workspace && row == workspaces_.end()) return out;
  for (const Place& place : places_) {
    if (out.size() == limit) break;
    if (workspace && place.workspace != &*row) continue;
    if (offset-- <= 0) out.push_back(place.id);
  }
  return out;
}

}  // namespace gantry::agent
