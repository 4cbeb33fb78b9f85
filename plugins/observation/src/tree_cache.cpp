// SPDX-License-Identifier: Apache-2.0
#include "tree_cache.hpp"

#include <openssl/rand.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <iterator>
#include <span>

#include "text.hpp"

namespace gantry::observation {
namespace {

constexpr std::size_t kTokenBytes = 8;

}  // namespace

std::shared_ptr<const Tree> TreeCache::lookup(const std::string& uid, std::int64_t now_ns) {
  const auto entry = std::find_if(entries_.begin(), entries_.end(),
                                  [&](const Entry& candidate) { return candidate.uid == uid; });
  if (entry == entries_.end() || now_ns - entry->stored_ns > ttl_ns_) {
    ++totals_.misses;
    return nullptr;
  }
  ++totals_.hits;
  entries_.splice(entries_.begin(), entries_, entry);
  return entries_.front().tree;
}

void TreeCache::store(const std::string& uid, std::shared_ptr<const Tree> tree,
                      const CaptureStats& stats, std::int64_t now_ns) {
  invalidate(uid);
  entries_.push_front({uid, std::move(tree), now_ns});
  if (entries_.size() > kMaxEntries) entries_.pop_back();

  if (stats_.insert_or_assign(uid, stats).second) stats_order_.push_back(uid);
  if (stats_.size() > kMaxStats) {
    stats_.erase(stats_order_.front());
    stats_order_.pop_front();
  }
  ++totals_.capture_count;
  totals_.capture_ms_total += stats.capture_ms;
  totals_.capture_ms_max = std::max(totals_.capture_ms_max, stats.capture_ms);
}

void TreeCache::invalidate(const std::string& uid) {
  entries_.remove_if([&](const Entry& entry) { return entry.uid == uid; });
}

void TreeCache::invalidate_all() { entries_.clear(); }

std::string TreeTokens::mint(const std::string& uid, std::shared_ptr<const Tree> tree,
                             std::int64_t now_ns) {
  if (rings_.size() >= kMaxWindows) drop_expired(now_ns);
  std::list<Entry>& ring = rings_[uid];
  ring.push_back({random_token("tt:"), std::move(tree), now_ns});
  if (ring.size() > kRingSize) ring.pop_front();
  return ring.back().token;
}

std::shared_ptr<const Tree> TreeTokens::find(const std::string& uid, std::string_view token,
                                             std::int64_t now_ns) const {
  const auto ring = rings_.find(uid);
  if (ring == rings_.end()) return nullptr;
  for (const Entry& entry : ring->second) {
    if (entry.token == token) return now_ns - entry.minted_ns <= kLifeNs ? entry.tree : nullptr;
  }
  return nullptr;
}

TreeTokens::Seen TreeTokens::latest(const std::string& uid, std::int64_t now_ns) const {
  const auto ring = rings_.find(uid);
  if (ring == rings_.end() || ring->second.empty()) return {};
  const Entry& last = ring->second.back();
  if (now_ns - last.minted_ns > kLifeNs) return {};
  return {last.token, last.tree};
}

void TreeTokens::drop_expired(std::int64_t now_ns) {
  for (auto ring = rings_.begin(); ring != rings_.end();) {
    ring->second.remove_if([&](const Entry& entry) { return now_ns - entry.minted_ns > kLifeNs; });
    ring = ring->second.empty() ? rings_.erase(ring) : std::next(ring);
  }
}

std::string random_token(std::string_view prefix) {
  // Drawn for many tokens at once, because the source checks for a fork by a system call each time.
  thread_local std::array<unsigned char, 64 * kTokenBytes> drawn;
  thread_local std::size_t used = drawn.size();
  if (used == drawn.size()) {
    // A token that can be guessed is worse than no answer; the random source does not fail in
    // practice.
    if (RAND_bytes(drawn.data(), static_cast<int>(drawn.size())) != 1) std::abort();
    used = 0;
  }
  std::string token(prefix);
  append_hex(token, std::span(drawn).subspan(used, kTokenBytes));
  used += kTokenBytes;
  return token;
}

}  // namespace gantry::observation
