// SPDX-License-Identifier: Apache-2.0
// Thins a flood of changes: the first of an application and kind passes at once, what follows
// within the window is joined to one. Bus thread only.
#pragma once

#include "loop.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>

namespace gantry::atspi {

/// Something changed in an application's tree.
struct Change {
  std::uint32_t pid = 0;
  std::uint64_t sequence = 0;
  std::string kind;    ///< children, state, name, value, text, bounds, focus, window
  std::string native;  ///< the object
};

class ChangeCoalescer {
 public:
  static constexpr milliseconds kWindow{20};
  using Publish = std::function<void(const Change&)>;

  ChangeCoalescer(Loop& loop, Publish publish) : loop_(loop), publish_(std::move(publish)) {}

  void offer(Change change) {
    const Key key{change.pid, change.kind};
    const auto [entry, first] = waiting_.try_emplace(key);
    if (!first) {
      entry->second = std::move(change);
      return;
    }
    publish_(change);
    arm(key);
  }
  /// Nothing is published any more.
  void close() {
    publish_ = [](const Change&) {};
    waiting_.clear();
  }

 private:
  using Key = std::pair<std::uint32_t, std::string>;

  void arm(const Key& key) {
    loop_.call_at(Clock::now() + kWindow, [this, key] { flush(key); });
  }
  void flush(const Key& key) {
    const auto entry = waiting_.find(key);
    if (entry == waiting_.end()) return;
    if (entry->second.kind.empty() || loop_.stopping()) {
      waiting_.erase(entry);  // a quiet window: the next change passes at once again
      return;
    }
    publish_(std::exchange(entry->second, {}));
    arm(key);
  }

  Loop& loop_;
  Publish publish_;
  std::map<Key, Change> waiting_;  ///< an entry without kind: the window is open, nothing waits
};

}  // namespace gantry::atspi
