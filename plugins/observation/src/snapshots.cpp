// SPDX-License-Identifier: Apache-2.0
#include "snapshots.hpp"

#include <algorithm>

#include "tree_cache.hpp"

namespace gantry::observation {

void Snapshots::forget_expired(std::int64_t now_ns) {
  entries_.remove_if([now_ns](const Entry& entry) { return now_ns - entry.kept_ns > kLifeNs; });
}

std::string Snapshots::keep(Snapshot snapshot, std::int64_t now_ns) {
  forget_expired(now_ns);
  if (entries_.size() >= kMost) entries_.pop_back();
  std::string id = random_token("snap:");
  entries_.push_front({id, std::make_shared<const Snapshot>(std::move(snapshot)), now_ns});
  return id;
}

std::shared_ptr<const Snapshot> Snapshots::find(std::string_view id, std::int64_t now_ns) {
  forget_expired(now_ns);
  const auto entry = std::find_if(entries_.begin(), entries_.end(),
                                  [id](const Entry& candidate) { return candidate.id == id; });
  if (entry == entries_.end()) return nullptr;
  entries_.splice(entries_.begin(), entries_, entry);
  return entry->snapshot;
}

bool Snapshots::drop(std::string_view id, std::int64_t now_ns) {
  forget_expired(now_ns);
  return entries_.remove_if([id](const Entry& entry) { return entry.id == id; }) > 0;
}

}  // namespace gantry::observation
