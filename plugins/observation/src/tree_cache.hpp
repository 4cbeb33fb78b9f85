// SPDX-License-Identifier: Apache-2.0
#pragma once
// The last captures per window, and the trees behind tree tokens (observer contract 2.2, 2.3).
// Used from one strand; time comes in as monotonic nanoseconds.

#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "tree.hpp"

namespace gantry::observation {

/// What the last capture of a window cost, kept longer than the capture.
struct CaptureStats {
  double captured_at = 0;  ///< Wall clock, seconds since the epoch.
  std::int64_t capture_ms = 0;
  std::size_t node_count = 0;
  std::size_t named_node_count = 0;
};

class TreeCache {
 public:
  struct Totals {
    std::uint64_t hits = 0;
    std::uint64_t misses = 0;
    std::uint64_t capture_count = 0;
    std::int64_t capture_ms_total = 0;
    std::int64_t capture_ms_max = 0;
  };

  explicit TreeCache(std::int64_t ttl_ns) : ttl_ns_(ttl_ns) {}

  /// A capture no older than the time to live, or nullptr; counts a hit or a miss.
  [[nodiscard]] std::shared_ptr<const Tree> lookup(const std::string& uid, std::int64_t now_ns);
  void store(const std::string& uid, std::shared_ptr<const Tree> tree, const CaptureStats& stats,
             std::int64_t now_ns);
  void invalidate(const std::string& uid);
  void invalidate_all();
  void set_ttl(std::int64_t ttl_ns) { ttl_ns_ = ttl_ns; }

  [[nodiscard]] const Totals& totals() const { return totals_; }
  [[nodiscard]] std::size_t entries() const { return entries_.size(); }
  /// Statistics by window uid.
  [[nodiscard]] const std::map<std::string, CaptureStats>& stats() const { return stats_; }

 private:
  static constexpr std::size_t kMaxEntries = 8;
  static constexpr std::size_t kMaxStats = 64;

  struct Entry {
    std::string uid;
    std::shared_ptr<const Tree> tree;
    std::int64_t stored_ns = 0;
  };

  std::int64_t ttl_ns_;
  std::list<Entry> entries_;  ///< Most recently used first; at most eight, so a list is enough.
  std::map<std::string, CaptureStats> stats_;
  std::list<std::string> stats_order_;
  Totals totals_;
};

/// Trees that clients hold a token for: the last 16 per window, for 300 s.
class TreeTokens {
 public:
  /// A new token "tt:" and 16 hexadecimal digits.
  [[nodiscard]] std::string mint(const std::string& uid, std::shared_ptr<const Tree> tree,
                                 std::int64_t now_ns);
  /// The tree of a token of this window that has not expired, or nullptr.
  [[nodiscard]] std::shared_ptr<const Tree> find(const std::string& uid, std::string_view token,
                                                 std::int64_t now_ns) const;
  struct Seen {
    std::string token;
    std::shared_ptr<const Tree> tree;  ///< nullptr: there is none.
  };
  /// The last token of the window, unless it has expired.
  [[nodiscard]] Seen latest(const std::string& uid, std::int64_t now_ns) const;

 private:
  static constexpr std::size_t kRingSize = 16;
  static constexpr std::int64_t kLifeNs = 300'000'000'000;
  static constexpr std::size_t kMaxWindows = 64;

  struct Entry {
    std::string token;
    std::shared_ptr<const Tree> tree;
    std::int64_t minted_ns = 0;
  };
  void drop_expired(std::int64_t now_ns);

  std::map<std::string, std::list<Entry>> rings_;
};

/// `prefix` and 16 hexadecimal digits from the system's random source.
[[nodiscard]] std::string random_token(std::string_view prefix);

}  // namespace gantry::observation
