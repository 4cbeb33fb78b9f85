// SPDX-License-Identifier: Apache-2.0
#pragma once
// Snapshots of the whole desktop: what every window showed at one moment (observer contract 2.2).
// Used from one strand; time comes in as monotonic nanoseconds.

#include <gantry/contracts/window.hpp>

#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "json_object.hpp"
#include "tree.hpp"

namespace gantry::observation {

struct Snapshot {
  double taken_at = 0;              ///< Wall clock, seconds since the epoch.
  std::vector<JsonObject> windows;  ///< As list_windows shows them, without their position.
  std::set<std::string> uids;       ///< Of these windows.
  /// By window uid, as clients may see them; windows without a tree are missing.
  std::map<std::string, std::shared_ptr<const Tree>> trees;
};

/// The last 32 by use, each for 300 s from its making.
class Snapshots {
 public:
  /// The id: "snap:" and 16 hexadecimal digits.
  [[nodiscard]] std::string keep(Snapshot snapshot, std::int64_t now_ns);
  /// nullptr when there is none or it has expired. Counts as a use.
  [[nodiscard]] std::shared_ptr<const Snapshot> find(std::string_view id, std::int64_t now_ns);
  /// False when there was none.
  bool drop(std::string_view id, std::int64_t now_ns);

 private:
  static constexpr std::size_t kMost = 32;
  static constexpr std::int64_t kLifeNs = 300'000'000'000;

  struct Entry {
    std::string id;
    std::shared_ptr<const Snapshot> snapshot;
    std::int64_t kept_ns = 0;
  };
  void forget_expired(std::int64_t now_ns);

  std::list<Entry> entries_;  ///< Most recently used first; few, so a list is enough.
};

}  // namespace gantry::observation
